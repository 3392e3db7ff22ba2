// Functions read from memory that was captured in living processes of Node, Bun and CPython: whole, cut off, and with
// words that lead in circles, nowhere, or to absurd lengths. tests/fuzz/corpus holds it in the form of its fuzzers.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <set>

#include <fmt/format.h>

#include "fuzz.h"
#include "symbolize/jsc_heap.h"
#include "symbolize/python_code.h"
#include "symbolize/v8_heap.h"
#include "v8_image.h"

namespace srvprof {
namespace {

constexpr std::size_t kMostReads = 20'000;  // a function takes some hundreds

struct Found {
  std::set<std::string> names;
  std::size_t reads = 0;
};

template <class Heap>
void look_up(Heap& heap, std::span<const std::uint64_t> hints, Found& found) {
  for (const std::uint64_t hint : hints) {
    const ScriptFunction* f = heap.function(hint);
    if (f == nullptr) continue;
    EXPECT_LE(f->name.size(), 4 * kMaxScriptName);
    EXPECT_LE(f->file.size(), 4 * kMaxScriptFile);
    found.names.insert(fmt::format("{} {}", f->name, f->file.substr(f->file.rfind('/') + 1)));
  }
}

// The same heads as those of tests/fuzz/*_chains.cc.
Found functions_of(std::string_view runtime, fuzz::Input input) {
  Found found;
  fuzz::Cutter cutter(input);
  const bool v8 = runtime == "v8", python = runtime == "cpython";
  const std::uint8_t version = v8 || python ? cutter.take<std::uint8_t>() : std::uint8_t{0};
  std::vector<std::uint64_t> hints(v8 ? 1 : python ? 2 : 3);
  for (std::uint64_t& hint : hints) hint = cutter.take<std::uint64_t>();
  if (python) cutter.take<std::uint64_t>();
  const fuzz::Memory memory(cutter.rest());
  const MemoryReader reader = [&, inner = memory.reader()](std::uint64_t at, std::span<std::byte> to) {
    ++found.reads;
    return inner(at, to);
  };
  if (v8) {
    V8Heap heap(*make_v8_layout(v8_constants(version % 2 != 0)), reader);
    look_up(heap, hints, found);
  } else if (python) {
    const auto layout = python_layout(std::uint32_t{version} << 16 | 0x03000000);
    if (!layout) return found;
    PythonCode code(*layout, reader);
    look_up(code, hints, found);
  } else {
    JscHeap heap(reader);
    // A name is believed where most functions have theirs: the first ones are asked for again.
    look_up(heap, hints, found);
    found.names.clear();
    look_up(heap, hints, found);
  }
  return found;
}

std::vector<std::uint8_t> bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Where pieces begin (of their 8 bytes of address), behind `head` bytes of versions and hints.
std::vector<std::size_t> pieces_of(const std::vector<std::uint8_t>& bytes, std::size_t head) {
  std::vector<std::size_t> out;
  for (std::size_t at = head; at + 10 <= bytes.size();) {
    out.push_back(at);
    at += 10 + bytes[at + 8] + 256u * bytes[at + 9];
  }
  return out;
}

class CapturedChains : public testing::TestWithParam<std::string> {
 protected:
  std::string runtime() const { return GetParam(); }
  std::size_t head() const { return runtime() == "v8" ? 9 : runtime() == "cpython" ? 25 : 24; }
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> out;
    const std::string folder = fmt::format(SRVPROF_FUZZ_CORPUS "/{}_chains", runtime());
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().filename().string().starts_with("captured")) out.push_back(entry.path());
    }
    std::sort(out.begin(), out.end());
    return out;
  }
};

INSTANTIATE_TEST_SUITE_P(Runtimes, CapturedChains, testing::Values("v8", "jsc", "cpython"),
                         [](const auto& p) { return p.param; });

TEST_P(CapturedChains, FunctionsHaveTheirNames) {
  std::set<std::string> names;
  for (const auto& file : files()) {
    const Found found = functions_of(runtime(), bytes_of(file));
    EXPECT_FALSE(found.names.empty()) << file;
    EXPECT_LT(found.reads, kMostReads) << file;
    names.insert(found.names.begin(), found.names.end());
  }
  const std::map<std::string, std::set<std::string>> expected = {
      {"v8",
       {"Readable.removeListener readable", "Socket.destroySoon node:net", "cleanParser node:_http_common", "filter ",
        "onconnection node:net", "parserOnMessageComplete node:_http_common", "send serve.js", "text names.js"}},
      // What has no file is built in; " serve.js" is a function without a name. Where names are is told by most
      // functions: in a capture with a single builtin that holds another string, too, that string is taken.
      {"jsc",
       {" serve.js", "alloc serve.js", "answer names.js", "burnCpu names.js", "dateStyle ", "endsWith ", "get ",
        "handle serve.js", "json ", "nanoseconds ", "page serve.js", "push ", "resolvePromise ", "shift ",
        "stringify ", "text names.js"}},
      {"cpython",
       {"BaseHTTPRequestHandler.date_time_string server.py", "BaseHTTPRequestHandler.handle_one_request server.py",
        "BaseHTTPRequestHandler.parse_request server.py", "BaseHTTPRequestHandler.send_response server.py",
        "Condition.__exit__ threading.py", "Handler.answer threaded.py", "Parser.parse parser.py",
        "Parser.parsestr parser.py", "SocketIO.write socket.py", "_newname threading.py", "park_outer names.py",
        "park_outer.<locals>.<lambda> names.py"}},
  };
  EXPECT_EQ(names, expected.at(runtime()));
}

TEST_P(CapturedChains, CutOffMemoryEnds) {
  for (const auto& file : files()) {
    const auto bytes = bytes_of(file);
    const std::set<std::string> whole = functions_of(runtime(), bytes).names;
    for (std::size_t n = 0; n < bytes.size(); n += 1 + n / 64) {
      const Found found = functions_of(runtime(), fuzz::Input(bytes).first(n));
      EXPECT_LT(found.reads, kMostReads) << file << " " << n;
      EXPECT_LE(found.names.size(), std::max<std::size_t>(whole.size(), 3)) << file << " " << n;
    }
  }
}

TEST_P(CapturedChains, DamagedMemoryEnds) {
  std::mt19937_64 random(5);
  std::size_t rounds = 0, same = 0;
  for (const auto& file : files()) {
    const auto good = bytes_of(file);
    const auto pieces = pieces_of(good, head());
    ASSERT_GT(pieces.size(), 5u) << file;
    const std::set<std::string> whole = functions_of(runtime(), good).names;
    for (int round = 0; round < 300; ++round, ++rounds) {
      auto bytes = good;
      for (int i = 0; i < 1 + round % 8; ++i) {
        const std::size_t at = pieces[random() % pieces.size()] + 10;
        const std::size_t length = good[at - 2] + 256u * good[at - 1];
        if (length < 8) continue;
        std::uint64_t other = 0;  // a piece's address: a circle, or an object of another kind
        std::memcpy(&other, &good[pieces[random() % pieces.size()]], 8);
        const std::uint64_t values[] = {other, other + 1, random(), 0, ~std::uint64_t{0}, random() % 300};
        std::memcpy(&bytes[at + random() % (length / 8) * 8], &values[random() % 6], 8);
      }
      const Found found = functions_of(runtime(), bytes);
      ASSERT_LT(found.reads, kMostReads) << file << " " << round;
      same += found.names == whole;
    }
  }
  EXPECT_GT(same, rounds / 20);  // the damage is not always where it matters
  EXPECT_LT(same, rounds);       // and sometimes is
}

}  // namespace
}  // namespace srvprof
