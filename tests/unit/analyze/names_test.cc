// Frames of scripts as words, and which source named what.
#include <gtest/gtest.h>

#include "analyze/frames.h"
#include "analyze/name_sources.h"

namespace srvprof {
namespace {

class Names : public testing::Test {
 protected:
  Names() {
    frame(11, 0, "malloc", "/lib/libc.so.6", "elf");
    frame(12, 0, "v8::internal::Factory", "/usr/bin/node", "elf");
    frame(13, 0x41, "onRequest", "[v8 compiled]", "v8", "/srv/app.js", 14);
    frame(13, 0x51, "parse", "[v8 compiled]", "v8", "node:internal/url", 7);
    frame(14, 0, "", "[anon]", "module");
    frame(15, 0, "main", "/usr/bin/node", "elf", "/src/main.cc", 3);
    frame(0xfff1, 0, "schedule", "[kernel]", "kallsyms");
    frame(0xfff2, 0, "do_epoll_wait", "[kernel]", "kallsyms");
    stack(1, 100, {11, 12, 13, 15}, {0, 0, 0x41, 0});
    stack(2, 100, {13, 15}, {0x51, 0});
    stack(3, 100, {14, 15}, {0x99, 0});
    stack(4, 0, {0xfff1, 0xfff2}, {});
    stack(5, 100, {11, 12, 15}, {});
  }

  void frame(std::uint64_t pc, std::uint64_t hint, const char* function, const char* module,
             const char* source, const char* file = "", std::uint32_t line = 0) {
    rows::Frame f;
    f.pid = pc > 0xf000 ? 0 : 100;
    f.pc = pc;
    f.hint = hint;
    f.function = function;
    f.module = module;
    f.file = file;
    f.line = line;
    f.source = source;
    trace_.frames[{f.pid, pc, hint}].push_back(f);
  }
  void stack(std::uint64_t hash, std::uint32_t pid, std::vector<std::uint64_t> pcs,
             std::vector<std::uint64_t> hints) {
    rows::Stack s;
    s.hash = hash;
    s.pid = pid;
    s.pcs = std::move(pcs);
    s.hints = std::move(hints);
    trace_.stacks[hash] = s;
  }
  void samples(std::uint64_t ustack, int n) {
    for (int i = 0; i < n; ++i) {
      trace_.samples.push_back({.t = {}, .tid = 101, .cpu = 0, .kstack = 0, .ustack = ustack});
    }
  }

  Trace trace_;
};

TEST_F(Names, ScriptsHaveTheirPlace) {
  EXPECT_EQ(frame_names(trace_, 1),
            (std::vector<std::string>{"main", "onRequest app.js:14", "v8::internal::Factory", "malloc"}));
  EXPECT_EQ(frame_names(trace_, 2), (std::vector<std::string>{"main", "parse node:internal/url:7"}));
}

TEST_F(Names, TheInnermostScriptTellsWhereAThreadWas) {
  EXPECT_EQ(innermost_name(trace_, 4, 1), "onRequest app.js:14");
  EXPECT_EQ(innermost_name(trace_, 4, 5), "malloc");
  EXPECT_EQ(innermost_name(trace_, 4, 0), "do_epoll_wait");
}

TEST_F(Names, AScriptIsNotCutOff) {
  EXPECT_EQ(innermost_names(trace_, 1, 2), "malloc <- onRequest app.js:14");
  EXPECT_EQ(innermost_names(trace_, 1, 3), "malloc <- v8::internal::Factory <- onRequest app.js:14");
  EXPECT_EQ(innermost_names(trace_, 1, 1), "malloc");
  EXPECT_EQ(innermost_names(trace_, 5, 2), "malloc <- v8::internal::Factory");
}

TEST_F(Names, SourcesByShare) {
  EXPECT_TRUE(name_sources(trace_).empty());
  samples(1, 3);
  samples(2, 2);
  samples(3, 1);
  const auto lines = name_sources(trace_);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].topic, "names");
  // 3 x 4 + 2 x 2 + 1 x 2 = 18 frames: v8 5, none 1.
  EXPECT_EQ(lines[0].text, "of the user frames in samples by source: elf 67 %, v8 28 %, none 5.6 %");
  EXPECT_EQ(lines[1].topic, "names of compiled code");
  EXPECT_EQ(lines[1].text, "83 % of the frames in code of a JIT compiler have a name");
}

TEST_F(Names, NoWordIsLostAboutCompleteNames) {
  samples(1, 3);
  EXPECT_EQ(name_sources(trace_).size(), 1u);
}

}  // namespace
}  // namespace srvprof
