#include "symbolize/v8_heap.h"

#include <gtest/gtest.h>

#include <random>

#include "v8_image.h"

namespace srvprof {
namespace {

TEST(V8Layout, NeedsEveryConstant) {
  for (const bool old : {false, true}) {
    auto constants = v8_constants(old);
    ASSERT_TRUE(make_v8_layout(constants).ok());
    constants.erase("class_Script__name__Object");
    const auto layout = make_v8_layout(constants);
    ASSERT_FALSE(layout.ok());
    EXPECT_NE(layout.error().what.find("class_Script__name__"), std::string::npos);
  }
  EXPECT_FALSE(make_v8_layout({}).ok());
}

TEST(V8Layout, RefusesWhatItCannotRead) {
  auto constants = v8_constants();
  constants["class_Script__name__Object"] = -8;
  EXPECT_FALSE(make_v8_layout(constants).ok());
  constants = v8_constants();
  constants["class_Script__name__Object"] = 1 << 20;
  EXPECT_FALSE(make_v8_layout(constants).ok());
  constants = v8_constants();
  constants["SmiShiftSize"] = 0;  // compressed pointers
  EXPECT_FALSE(make_v8_layout(constants).ok());
}

// Both layouts of scopes: the position before the names, and behind them.
class V8HeapTest : public testing::TestWithParam<bool> {
 protected:
  std::string name(std::uint64_t shared) {
    const ScriptFunction* f = heap_.function(shared);
    if (f == nullptr) return "(null)";
    return f->name + " " + f->file + ":" + std::to_string(f->line);
  }
  V8Image image_{GetParam()};
  V8Heap heap_{image_.layout, image_.reader()};
};

INSTANTIATE_TEST_SUITE_P(Layouts, V8HeapTest, testing::Values(false, true),
                         [](const auto& p) { return p.param ? "Node20" : "Node24"; });

TEST_P(V8HeapTest, NamedFunctionWithLineEnds) {
  const auto script = image_.script(image_.string("/srv/app.js"), 0, image_.array({9, 20, 35}));
  EXPECT_EQ(name(image_.shared(image_.scope(3, 12, image_.string("onRequest"), 0), script)),
            "onRequest /srv/app.js:2");
  EXPECT_EQ(name(image_.shared(image_.scope(0, 9, image_.string("first"), 0), script)),
            "first /srv/app.js:1");
  // Beyond the last line: the position is not one of this script.
  EXPECT_EQ(name(image_.shared(image_.scope(0, 99, image_.string("far"), 0), script)),
            "far /srv/app.js:0");
}

TEST_P(V8HeapTest, LinesAreCountedInTheSource) {
  const auto source = image_.external("one\ntwo\n  three\n");
  const auto script = image_.script(image_.string("file:///srv/app.mjs"), source, 0);
  EXPECT_EQ(name(image_.shared(image_.scope(80, 10, image_.string("three"), 0), script)),
            "three /srv/app.mjs:3");
}

TEST_P(V8HeapTest, InferredNameAndNone) {
  const auto script = image_.script(image_.string("a.js"), image_.string("x"), 0);
  EXPECT_EQ(name(image_.shared(image_.scope(1, 0, 0, image_.string("Server.handle")), script)),
            "Server.handle a.js:1");
  EXPECT_EQ(name(image_.shared(image_.scope(1, 0, image_.string(""), image_.string("obj.f")), script)),
            "obj.f a.js:1");
  EXPECT_EQ(name(image_.shared(image_.scope(1, 0, 0, 0), script)), " a.js:1");
}

TEST_P(V8HeapTest, FunctionOfV8Itself) {
  EXPECT_EQ(name(image_.shared(image_.string("forEach"), 0)), "forEach :0");
  EXPECT_EQ(name(image_.shared(V8Image::smi(0), 0)), " :0");
}

TEST_P(V8HeapTest, NoFunction) {
  EXPECT_EQ(name(0), "(null)");
  EXPECT_EQ(name(0x4141414141414141), "(null)");
  EXPECT_EQ(name(image_.string("no function")), "(null)");
  EXPECT_EQ(name(image_.shared(image_.object(205, {}), 0)), "(null)");
}

TEST_P(V8HeapTest, AnotherFunctionAtTheAddress) {
  const auto shared = image_.shared(image_.string("before"), 0);
  EXPECT_EQ(name(shared), "before :0");
  image_.put(shared - 1 + static_cast<std::uint64_t>(image_.layout.shared_name), image_.string("after"));
  EXPECT_EQ(heap_.last_function(shared)->name, "before");
  EXPECT_EQ(name(shared), "after :0");
  EXPECT_EQ(heap_.last_function(shared)->name, "after");
}

TEST_P(V8HeapTest, MovedObjectsAreReadAgain) {
  const auto text = image_.string("before");
  const auto shared = image_.shared(text, 0);
  EXPECT_EQ(name(shared), "before :0");
  image_.put_text(text - 1 + 16, "behind");
  EXPECT_EQ(name(shared), "before :0");
  heap_.forget();
  EXPECT_EQ(heap_.last_function(shared)->name, "before");
  EXPECT_EQ(name(shared), "behind :0");
}

TEST_P(V8HeapTest, AKnownFunctionCostsThreeReads) {
  const auto script = image_.script(image_.string("a.js"), image_.string("x"), 0);
  const auto shared = image_.shared(image_.scope(1, 0, image_.string("f"), 0), script);
  name(shared);
  const auto before = image_.reads();
  name(shared);
  EXPECT_EQ(image_.reads() - before, 3u);
}

TEST_P(V8HeapTest, DamagedHeapsEnd) {
  std::mt19937 random(7);
  std::size_t found = 0;
  for (int round = 0; round < 3000; ++round) {
    V8Image image(GetParam());
    const auto name = image.cons(8, image.string("half"), image.sliced(4, image.external("xhalf"), 1));
    const auto script = image.script(image.thin(4, image.string("a.js")), image.string("x\ny\nz"),
                                     round % 2 ? image.array({1, 3, 5}) : 0);
    const auto shared = image.shared(image.scope(2, 2, name, 0), script);
    for (int i = 0; i < 1 + round % 12; ++i) image.damage(random);
    V8Heap heap(image.layout, image.reader());
    const ScriptFunction* f = heap.function(shared);
    found += f != nullptr;
    if (f != nullptr) {
      ASSERT_LE(f->name.size(), 4 * kMaxScriptName);
    }
    ASSERT_LT(image.reads(), 60'000u);
  }
  EXPECT_GT(found, 300u);   // the damage is not always where it matters
  EXPECT_LT(found, 3000u);  // and sometimes is
}

}  // namespace
}  // namespace srvprof
