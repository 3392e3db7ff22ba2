#include "cli/args.h"

#include <gtest/gtest.h>

#include "cli/command.h"
#include "cli/suggest.h"

namespace srvprof {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

const Command& command(std::string_view name) {
  const Command* found = find_command(name);
  EXPECT_NE(found, nullptr) << name;
  return *found;
}

std::string usage_message(std::string_view name, const std::vector<std::string>& words) {
  const Result<Args> args = parse_args(command(name), words);
  if (args.ok()) return "no error";
  EXPECT_EQ(args.error().kind, ErrorKind::kUsage);
  return args.error().what + " | " + args.error().hint;
}

TEST(Duration, OfTheCommandLine) {
  EXPECT_EQ(*parse_duration("10"), seconds(10));
  EXPECT_EQ(*parse_duration("10s"), seconds(10));
  EXPECT_EQ(*parse_duration("500ms"), milliseconds(500));
  EXPECT_EQ(*parse_duration("2m"), minutes(2));
  EXPECT_EQ(*parse_duration("1.5s"), milliseconds(1500));
  for (const char* bad : {"", "s", "0", "-1", "1x", "1 s", "1e9", "9999h", "1.2.3", "nan", "."}) {
    EXPECT_FALSE(parse_duration(bad).ok()) << bad;
  }
}

TEST(Size, OfTheCommandLine) {
  EXPECT_EQ(*parse_size("4096"), 4096u);
  EXPECT_EQ(*parse_size("64M"), std::uint64_t{64} << 20);
  EXPECT_EQ(*parse_size("512k"), 512u << 10);
  EXPECT_EQ(*parse_size("1GiB"), std::uint64_t{1} << 30);
  for (const char* bad : {"", "0", "M", "1T", "-1", "9G", "18446744073709551615G"}) {
    EXPECT_FALSE(parse_size(bad).ok()) << bad;
  }
}

TEST(Args, OptionsInEveryForm) {
  const Result<Args> args = parse_args(
      command("attach"), {"-p", "1", "--pid=2", "-p3", "4", "-vv", "-d10s", "--no-report"});
  ASSERT_TRUE(args.ok()) << args.error().what;
  EXPECT_EQ(args->all("pid"), (std::vector<std::string>{"1", "2", "3"}));
  EXPECT_EQ(args->words, (std::vector<std::string>{"4"}));
  EXPECT_EQ(args->count("verbose"), 2u);
  EXPECT_EQ(args->text("duration"), "10s");
  EXPECT_TRUE(args->has("no-report"));
}

TEST(Args, WhatFollowsTwoDashesIsTheLoad) {
  const Result<Args> args =
      parse_args(command("attach"), {"-p", "1", "--", "wrk", "-c64", "--", "-d", "30s"});
  ASSERT_TRUE(args.ok());
  EXPECT_EQ(args->load, (std::vector<std::string>{"wrk", "-c64", "--", "-d", "30s"}));
  EXPECT_FALSE(args->has("duration"));
  EXPECT_TRUE(
      usage_message("attach", {"-p", "1", "--"}).starts_with("attach: nothing follows '--'"));
}

TEST(Args, AFileMayBeginWithADash) {
  const Result<Args> args = parse_args(command("report"), {"--", "-run.srvprof"});
  ASSERT_TRUE(args.ok()) << args.error().what;
  EXPECT_EQ(args->words, (std::vector<std::string>{"-run.srvprof"}));
}

TEST(Args, MessagesSayWhatWasMeant) {
  EXPECT_EQ(usage_message("report", {"--fromat", "x", "r"}),
            "report: unknown option '--fromat' | did you mean '--format'?");
  EXPECT_EQ(usage_message("report", {"--frm", "r"}),
            "report: unknown option '--frm' | srvprof report --help");
  EXPECT_EQ(usage_message("report", {"--format", "htm", "r"}),
            "report: --format 'htm': no such format | did you mean 'html'?");
  EXPECT_EQ(usage_message("dump", {}),
            "dump: RECORDING is missing | srvprof dump RECORDING [-o FILE] | --from-text TEXT -o "
            "RECORDING");
  EXPECT_EQ(usage_message("report", {"a", "b"}),
            "report: unexpected word 'b' | srvprof report RECORDING [options]");
  EXPECT_EQ(usage_message("report", {"a", "--route", "x", "--route", "y"}),
            "report: --route is given 2 times | ");
  EXPECT_NE(usage_message("report", {"--route"}).find("--route"), std::string::npos);
  EXPECT_NE(usage_message("report", {"\x1b[31m", "b"}).find("unexpected word 'b'"),
            std::string::npos);
}

TEST(Args, NumbersHaveLimits) {
  Args args;
  args.values["slowest"] = {"20"};
  EXPECT_EQ(*args.number("slowest", 1, 1, 100), 20u);
  EXPECT_EQ(*args.number("other", 7, 1, 100), 7u);
  EXPECT_FALSE(args.number("slowest", 1, 1, 10).ok());
  args.values["slowest"] = {"2x"};
  EXPECT_FALSE(args.number("slowest", 1, 1, 100).ok());
}

TEST(Suggest, FindsTypingErrorsAndBeginnings) {
  const std::vector<std::string> known = {"attach", "report", "requests", "record"};
  EXPECT_EQ(closest("atach", known), "attach");
  EXPECT_EQ(closest("reprot", known), "report");
  EXPECT_EQ(closest("req", known), "requests");
  EXPECT_EQ(closest("xyz", known), "");
  EXPECT_EQ(closest("", known), "");
  EXPECT_EQ(edit_distance("ab", "ba"), 1u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
}

TEST(Commands, AreDocumentedAlike) {
  for (const Command* c : commands()) {
    EXPECT_FALSE(c->summary.empty()) << c->name;
    EXPECT_FALSE(c->examples.empty()) << c->name;
    EXPECT_NE(c->run, nullptr) << c->name;
    for (const Example& example : c->examples) {
      EXPECT_NE(example.command.find("srvprof " + std::string(c->name)), std::string_view::npos)
          << example.command;
    }
    for (const Option& option : c->options) {
      EXPECT_FALSE(option.doc.empty()) << c->name << " --" << option.name;
      for (const Option& common : common_options()) EXPECT_NE(option.name, common.name);
    }
  }
}

// Every example of the help can be parsed by the command that it is of.
TEST(Commands, ExamplesAreRight) {
  for (const Command* c : commands()) {
    for (const Example& example : c->examples) {
      std::string text(example.command);
      text = text.substr(0, text.find(" |"));
      std::vector<std::string> words(1);
      char quote = 0;
      for (char ch : text) {
        if (quote != 0 ? ch == quote : ch == '\'' || ch == '"') {
          quote = quote != 0 ? '\0' : ch;
        } else if (ch == ' ' && quote == 0) {
          words.emplace_back();
        } else {
          words.back() += ch;
        }
      }
      const auto name = std::find(words.begin(), words.end(), c->name);
      ASSERT_NE(name, words.end());
      const Result<Args> args = parse_args(*c, {name + 1, words.end()});
      EXPECT_TRUE(args.ok()) << example.command << ": " << (args.ok() ? "" : args.error().what);
    }
  }
}

}  // namespace
}  // namespace srvprof
