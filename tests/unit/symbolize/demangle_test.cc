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

TEST(Demangle, OtherNamesStayAsTheyAre) {
  for (const char* name : {"", "main", "_Z", "_ZN", "_Zxyz", "_RNvC6mycrate3foo", "net/http.serve",
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
