// Output of load generators -> ClientRun. A load generator is one file and one line in all.cc.
//
// Input is hostile: it is refused with an Error whose `what` names the line, or it yields a
// ClientRun whose figures all lie in the ranges that client_run.h states. Nothing here depends on
// the locale. See README.md of this folder for the plain CSV that home-made generators can write.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/result.h"
#include "loadgen/client_run.h"

namespace srvprof {

// Limits of what is read; beyond them the input is refused (errors and paths: cut, with a note).
inline constexpr std::size_t kMaxImportBytes = std::size_t{8} << 30;
inline constexpr std::size_t kMaxClientSamples = 10'000'000;
inline constexpr std::size_t kMaxClientPaths = 65'536;
inline constexpr std::size_t kMaxPathBytes = 256;
inline constexpr std::size_t kMaxErrorTexts = 64;
inline constexpr std::size_t kMaxErrorText = 200;

// One format of one load generator.
struct LoadFormat {
  std::string_view name;   // "hey-csv", unique
  std::string_view tool;   // "hey"
  std::string_view doc;    // what writes it: "hey -o csv"
  std::string_view keeps;  // what srvprof has from it, and what not
  // Does the beginning of the output (at most kHeadBytes) look like it?
  bool (*recognise)(std::string_view head);
  // All of the output; Error::what begins "line N: " where there is a line to name.
  Result<ClientRun> (*import)(std::string_view text);
};

inline constexpr std::size_t kHeadBytes = std::size_t{64} << 10;

// All of them, in the order in which they are tried.
std::span<const LoadFormat> load_formats();

// Reads the output of any known load generator. `name_hint` (a file name or the generator's
// command) is named in errors and decides where two formats look alike.
Result<ClientRun> import_run(std::string_view text, std::string_view name_hint);

// The formats of each load generator, for all.cc.
std::span<const LoadFormat> ab_formats();
std::span<const LoadFormat> autocannon_formats();
std::span<const LoadFormat> hey_formats();
std::span<const LoadFormat> k6_formats();
std::span<const LoadFormat> oha_formats();
std::span<const LoadFormat> plain_formats();
std::span<const LoadFormat> siege_formats();
std::span<const LoadFormat> truthclient_formats();
std::span<const LoadFormat> vegeta_formats();
std::span<const LoadFormat> wrk_formats();

}  // namespace srvprof
