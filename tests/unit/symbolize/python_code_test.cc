#include "symbolize/python_code.h"

#include <gtest/gtest.h>

#include <random>

#include "python_image.h"

namespace srvprof {
namespace {

constexpr std::uint32_t kVersions[] = {0x030b02f0, 0x030c01f0};

TEST(PythonCode, NameFileAndLine) {
  for (const std::uint32_t version : kVersions) {
    PythonImage image(*python_layout(version));
    const auto code = image.code(image.text("Handler.do_GET"), image.text("/app/server.py"), 42);
    PythonCode reader(*python_layout(version), image.reader());
    EXPECT_EQ(reader.last_function(code), nullptr);
    const ScriptFunction* f = reader.function(code);
    ASSERT_NE(f, nullptr) << version;
    EXPECT_EQ(f->name, "Handler.do_GET");
    EXPECT_EQ(f->file, "/app/server.py");
    EXPECT_EQ(f->line, 42u);
    EXPECT_EQ(reader.last_function(code), f);
  }
}

TEST(PythonCode, WiderCharacters) {
  const auto layout = *python_layout(kVersions[0]);
  PythonImage image(layout);
  PythonCode reader(layout, image.reader());
  const auto file = image.text("x.py");
  using namespace std::string_view_literals;
  EXPECT_EQ(reader.function(image.code(image.text("gr\xfc\xdf", 1, false), file, 1))->name, "grüß");
  EXPECT_EQ(reader.function(image.code(image.text("\x3c\x20\x61\0"sv, 2, false), file, 1))->name, "\xe2\x80\xbc" "a");
  EXPECT_EQ(reader.function(image.code(image.text("\0\xf6\x01\0\0\xd8\0\0"sv, 4, false), file, 1))->name, "😀\xef\xbf\xbd");
}

TEST(PythonCode, AnotherCodeAtTheSamePlace) {
  const auto layout = *python_layout(kVersions[1]);
  PythonImage image(layout);
  PythonCode reader(layout, image.reader());
  const auto code = image.code(image.text("old"), image.text("a.py"), 1);
  EXPECT_EQ(reader.function(code)->name, "old");
  image.put(code + layout.code_name, image.text("new"));
  EXPECT_EQ(reader.last_function(code)->name, "old");
  EXPECT_EQ(reader.function(code)->name, "new");
}

TEST(PythonCode, WhatIsNoCode) {
  const auto layout = *python_layout(kVersions[0]);
  PythonImage image(layout);
  PythonCode reader(layout, image.reader());
  const auto text = image.text("text");
  for (const std::uint64_t address : {std::uint64_t{0}, std::uint64_t{8}, ~std::uint64_t{7}, text, text + 4}) {
    EXPECT_EQ(reader.function(address), nullptr) << address;
  }
  const auto code = image.code(image.text("f"), image.text("f.py"), 1);
  image.put<std::int64_t>(text + layout.text_length, -1);
  EXPECT_EQ(reader.function(image.code(text, image.text("f.py"), 1)), nullptr);
  image.put<std::int64_t>(text + layout.text_length, std::int64_t{1} << 62);
  EXPECT_EQ(reader.function(image.code(text, image.text("f.py"), 1)), nullptr);
  EXPECT_NE(reader.function(code), nullptr);
}

TEST(PythonCode, DamagedMemory) {
  const auto layout = *python_layout(kVersions[1]);
  for (unsigned seed = 0; seed < 500; ++seed) {
    std::mt19937 random(seed);
    PythonImage image(layout);
    const auto code = image.code(image.text("function"), image.text("file.py"), 3);
    for (int i = 0; i < 6; ++i) image.damage(random);
    PythonCode reader(layout, image.reader());
    if (const ScriptFunction* f = reader.function(code)) {
      EXPECT_LE(f->name.size(), 4 * kMaxScriptName);
    }
    EXPECT_LT(image.reads(), 40u);
  }
}

TEST(PythonLayout, OnlyKnownVersions) {
  EXPECT_FALSE(python_layout(0x030a0df0));
  EXPECT_FALSE(python_layout(0x030d00f0));
  EXPECT_FALSE(python_layout(0));
}

TEST(PythonLayout, Published) {
  MemoryImage image;
  const auto runtime = image.allocate(1024);
  EXPECT_FALSE(read_python_layout(image.reader(), runtime).ok());
  image.put_text(runtime, "xdebugpy");
  image.put<std::uint64_t>(runtime + 8, 0x030d00f0);
  image.put<std::uint64_t>(runtime + 5 * 8, 632);   // the first interpreter
  image.put<std::uint64_t>(runtime + 9 * 8, 7344);  // its first thread
  const auto layout = read_python_layout(image.reader(), runtime);
  ASSERT_TRUE(layout.ok()) << layout.error().what;
  EXPECT_EQ(layout->interpreter, 632);
  EXPECT_EQ(layout->threads, 7344);
  image.put<std::uint64_t>(runtime + 9 * 8, 1 << 20);
  EXPECT_FALSE(read_python_layout(image.reader(), runtime).ok());
  image.put<std::uint64_t>(runtime + 8, 0x030e00f0);
  EXPECT_FALSE(read_python_layout(image.reader(), runtime).ok());
}

}  // namespace
}  // namespace srvprof
