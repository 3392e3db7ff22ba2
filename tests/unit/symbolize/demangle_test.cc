#include "symbolize/demangle.h"

#include <gtest/gtest.h>

#include "base/time.h"

namespace srvprof {
namespace {

TEST(Demangle, Cxx) {
  EXPECT_EQ(demangle("_ZN2v88internal8GCTracer20StartObservablePauseEv"),
            "v8::internal::GCTracer::StartObservablePause()");
  EXPECT_EQ(demangle("_Z3fooi.cold"), "foo(int) [clone .cold]");
  EXPECT_EQ(demangle("_ZNSt6vectorIiSaIiEE9push_backERKi"),
            "std::vector<int, std::allocator<int> >::push_back(int const&)");
}

TEST(Demangle, RustLegacy) {
  EXPECT_EQ(demangle("_ZN4core3fmt5write17h0123456789abcdefE"), "core::fmt::write");
  EXPECT_EQ(demangle("_ZN71_$LT$alloc..vec..Vec$LT$u8$GT$$u20$as$u20$core..clone..Clone$GT$"
                     "5clone17h0123456789abcdefE"),
            "_ZN71_$LT$alloc..vec..Vec$LT$u8$GT$$u20$as$u20$core..clone..Clone$GT$"
            "5clone17h0123456789abcdefE")
      << "a wrong length is no name";
  EXPECT_EQ(demangle("_ZN58_$LT$alloc..vec..Vec$u20$as$u20$core..clone..Clone$GT$$RF$5clone"
                     "17h0123456789abcdefE.llvm.123"),
            "<alloc::vec::Vec as core::clone::Clone>&::clone");
}

TEST(Demangle, RustV0) {
  const std::pair<const char*, const char*> kNames[] = {
      {"_RNvC7mycrate3foo", "mycrate::foo"},
      {"_RNvCs1234_7mycrate3foo.llvm.123", "mycrate::foo"},
      {"_RNCNvC7mycrate3foo0", "mycrate::foo::{closure#0}"},
      {"_RNCNvC7mycrate3foos_0", "mycrate::foo::{closure#1}"},
      {"_RNvNCNvC7mycrate3foo03bar", "mycrate::foo::{closure#0}::bar"},
      {"_RINvNtC3std3mem8align_ofjE", "std::mem::align_of::<usize>"},
      {"_RINvNtC3std3mem8align_ofjdE", "std::mem::align_of::<usize, f64>"},
      {"_RINtC3std6OptionlE", "std::Option::<i32>"},
      {"_RNvMC7mycrateNtB2_3Foo3bar", "<mycrate::Foo>::bar"},
      {"_RNvXC7mycrateNtB2_3FooNtC4core5Debug3fmt", "<mycrate::Foo as core::Debug>::fmt"},
      {"_RNvYNtC7mycrate3FooNtC4core5Debug3fmt", "<mycrate::Foo as core::Debug>::fmt"},
      {"_RINvC7mycrate3fooRShQeTlbEE", "mycrate::foo::<&[u8], &mut str, (i32, bool)>"},
      {"_RINvC7mycrate3fooAhj4_PhOhE", "mycrate::foo::<[u8; 4], *const u8, *mut u8>"},
      {"_RINvC7mycrate3fooKj10_Kb1_Kc41_Klnf_E", "mycrate::foo::<16, true, 'A', -15>"},
      {"_RINvC7mycrate3fooFG_RL0_hEuE", "mycrate::foo::<for<'a> fn(&'a u8)>"},
      {"_RINvC7mycrate3fooFUKChEjE", "mycrate::foo::<unsafe extern \"C\" fn(u8) -> usize>"},
      {"_RINvC7mycrate3fooDNtC4core4Iterp4ItemhEL_E", "mycrate::foo::<dyn core::Iter<Item = u8>>"},
      {"_RINvC7mycrate3fooNtB2_3BarC5otherE", "mycrate::foo::<mycrate::Bar, other>"},
      {"_RINvC3std3fooNtC7mycrate3BarEC7mycrate", "std::foo::<mycrate::Bar>"},
  };
  for (const auto& [mangled, plain] : kNames) EXPECT_EQ(demangle(mangled), plain);
}

TEST(Demangle, RustV0ThatWouldNeverEnd) {
  // Each argument repeats all that stands before it.
  std::string bomb = "_RINvC1a1bT";
  for (int i = 0; i < 100; ++i) bomb += "TB8_B8_E";
  const Time start = MonotonicClock::now();
  EXPECT_EQ(demangle(bomb + "EE"), bomb + "EE");
  const std::string deep = "_RINvC1a1b" + std::string(1500, 'R') + "hE";
  EXPECT_EQ(demangle(deep), deep);
  EXPECT_LT(to_seconds(MonotonicClock::now() - start), 5.0);
}

TEST(Demangle, OtherNamesStayAsTheyAre) {
  for (const char* name : {"", "main", "_Z", "_ZN", "_Zxyz", "_RNvC7mycrate", "_R", "_RNvC7mycrate3fooE", "_RB_", "_RNvB_3foo", "net/http.serve",
                           "_ZN99999999999999999999xE", "_ZN3aE"}) {
    EXPECT_EQ(demangle(name), name);
  }
  const std::string bytes("_Z\xff\x01\x00x", 6);
  EXPECT_EQ(demangle(bytes), bytes);
}

TEST(Demangle, NamesThatWouldExpandToGigabytes) {
  // Each step names the whole text so far twice.
  std::string bomb = "_Z1fSt4pairI1aS_E";
  for (int i = 0; i < 60; ++i) {
    const std::string last = "S" + std::string(1, static_cast<char>('0' + i % 10)) + "_";
    bomb += "St4pairI" + last + last + "E";
  }
  const Time start = MonotonicClock::now();
  EXPECT_EQ(demangle(bomb), bomb);
  const std::string deep = "_Z1f" + std::string(1'000'000, 'P') + "i";
  EXPECT_EQ(demangle(deep), deep);
  EXPECT_LT(to_seconds(MonotonicClock::now() - start), 5.0);
}

TEST(Demangle, EveryTruncationEnds) {
  const std::string name = "_ZNSt8functionIFvRKN2v820FunctionCallbackInfoINS0_5ValueEEEEEC2ERKS7_";
  for (std::size_t n = 0; n <= name.size(); ++n)
    EXPECT_GE(demangle(name.substr(0, n)).size(), n / 4);
}

}  // namespace
}  // namespace srvprof
