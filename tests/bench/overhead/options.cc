#include "options.h"

#include <getopt.h>

#include <array>
#include <cstdlib>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "base/parse.h"

namespace srvprof {

const char kUsage[] =
    "usage: overhead_bench --server 'NAME=COMMAND {port}' [--server ...] [options]\n"
    "       overhead_bench --load PORT [--path P] [--seconds S] [--rate R]\n"
    "\n"
    "What srvprof costs a server: one load run a case, the tracer switched on and off in it by turns.\n"
    "Needs root. tests/bench/overhead.sh runs it on the servers of the repository.\n"
    "\n"
    "  --server NAME=COMMAND   server to start; {port} stands for its port\n"
    "  --path PATH             what is asked for (/items?page=1); {n} is a number of 10 digits\n"
    "  --pairs N               pairs of windows a case (16)\n"
    "  --window MS --settle MS length of a window (400), time after a switch that is not counted (100)\n"
    "  --connections N         keep-alive connections (64)\n"
    "  --mode control|default|full   repeatable; all three if not given\n"
    "  --capture WAY           as srvprof attach --capture: auto, sock, perf, fexit, kprobe, sys\n"
    "  --loop closed|open      only this one\n"
    "  --probes                instead: ns a run and runs a request of each BPF program, as a table\n"
    "  --json FILE             everything, each window too\n"
    "  --server-cpu N --load-cpu N   (the first two CPUs)\n"
    "  --directory DIR         where the recordings are written (/tmp)\n"
    "  --load PORT             only the load: prints requests and requests/s\n"
    "  --rate R --seconds S    of --load: open loop at R requests/s (0 = closed loop), for S (10)\n";

namespace {

enum Word { kServer = 256, kPath, kPairs, kWindow, kSettle, kConnections, kMode, kCapture, kLoop, kProbes, kJson,
            kServerCpu, kLoadCpu, kDirectory, kLoad, kRate, kSeconds, kHelp };

const std::array kLong = {option{"server", 1, nullptr, kServer}, option{"path", 1, nullptr, kPath},
                          option{"pairs", 1, nullptr, kPairs}, option{"window", 1, nullptr, kWindow},
                          option{"settle", 1, nullptr, kSettle},
                          option{"connections", 1, nullptr, kConnections},
                          option{"mode", 1, nullptr, kMode},
                          option{"capture", 1, nullptr, kCapture}, option{"loop", 1, nullptr, kLoop},
                          option{"probes", 0, nullptr, kProbes}, option{"json", 1, nullptr, kJson},
                          option{"server-cpu", 1, nullptr, kServerCpu},
                          option{"load-cpu", 1, nullptr, kLoadCpu},
                          option{"directory", 1, nullptr, kDirectory},
                          option{"load", 1, nullptr, kLoad}, option{"rate", 1, nullptr, kRate},
                          option{"seconds", 1, nullptr, kSeconds}, option{"help", 0, nullptr, kHelp},
                          option{nullptr, 0, nullptr, 0}};

// "node=node http.js {port}"; no quoting: words are split at blanks.
bool parse_server(const std::string& text, BenchOptions& o) {
  const std::size_t at = text.find('=');
  if (at == std::string::npos || at == 0) return false;
  ServerSpec spec{text.substr(0, at), {}};
  std::istringstream words(text.substr(at + 1));
  for (std::string word; words >> word;) spec.argv.push_back(word);
  if (spec.argv.empty()) return false;
  o.servers.push_back(std::move(spec));
  return true;
}

template <class T>
bool number(const char* text, T& out, T least, T most) {
  const auto n = parse_number<T>(text);
  if (!n || *n < least || *n > most) return false;
  out = *n;
  return true;
}

bool milliseconds(const char* text, Duration& out) {
  unsigned ms = 0;
  if (!number(text, ms, 1u, 60'000u)) return false;
  out = std::chrono::milliseconds(ms);
  return true;
}

class Parser {
 public:
  bool take(int word, const char* text);
  BenchOptions options;

 private:
  bool mode(const std::string& text);
  bool loop(const std::string& text);
  bool modes_given_ = false;
};

bool Parser::mode(const std::string& text) {
  if (!std::exchange(modes_given_, true)) options.modes.clear();
  if (text == "control") {
    options.modes.push_back(Mode::kControl);
  } else if (text == "default") {
    options.modes.push_back(Mode::kDefault);
  } else if (text == "full") {
    options.modes.push_back(Mode::kFull);
  } else {
    return false;
  }
  return true;
}

bool Parser::loop(const std::string& text) {
  options.closed_loop = text == "closed";
  options.open_loop = text == "open";
  return options.closed_loop || options.open_loop;
}

bool Parser::take(int word, const char* text) {
  BenchOptions& o = options;
  switch (word) {
    case kServer: return parse_server(text, o);
    case kPath: o.path = text; return o.path.starts_with('/');
    case kPairs: return number(text, o.pairs, 1u, 10'000u);
    case kWindow: return milliseconds(text, o.window);
    case kSettle: return milliseconds(text, o.settle);
    case kConnections: return number(text, o.connections, 1u, 10'000u);
    case kMode: return mode(text);
    case kCapture: o.capture = text; return true;
    case kLoop: return loop(text);
    case kProbes: o.probes = true; return true;
    case kJson: o.json = text; return true;
    case kServerCpu: return number(text, o.server_cpu, 0, 1023);
    case kLoadCpu: return number(text, o.load_cpu, 0, 1023);
    case kDirectory: o.directory = text; return true;
    case kLoad: o.load_only = true; return number<std::uint16_t>(text, o.load_port, 1, 65535);
    case kRate: return number(text, o.load_rate, 0u, 10'000'000u);
    case kSeconds: return number(text, o.seconds, 1u, 3600u);
  }
  return false;
}

}  // namespace

std::optional<BenchOptions> parse_options(int argc, char** argv, std::string& message) {
  Parser parser;
  int index = 0;
  opterr = 0;
  for (int word; (word = ::getopt_long(argc, argv, "h", kLong.data(), &index)) != -1;) {
    if (word == kHelp || word == 'h') return std::nullopt;
    if (word == '?') {
      message = fmt::format("{}: not understood", argv[optind - 1]);
      return std::nullopt;
    }
    if (!parser.take(word, optarg)) {
      message = fmt::format("--{} {}: not understood", kLong[static_cast<std::size_t>(index)].name,
                            optarg == nullptr ? "" : optarg);
      return std::nullopt;
    }
  }
  if (optind < argc) {
    message = fmt::format("{}: not understood", argv[optind]);
  } else if (parser.options.servers.empty() && !parser.options.load_only) {
    message = "no server is named";
  } else {
    return parser.options;
  }
  return std::nullopt;
}

}  // namespace srvprof
