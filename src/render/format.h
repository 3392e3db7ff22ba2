// Output formats: a document in, bytes out. A renderer computes nothing: what it prints is in the
// Report, the Trace or the FlameData. Every string that comes from the target is escaped here.
//
// A new format is one file and one line in all.cc.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/report.h"
#include "base/result.h"
#include "trace/model.h"

namespace srvprof {

// Takes bytes in order. Its error (disk full ...) ends the rendering and is returned.
using ByteSink = std::function<Status(std::string_view)>;

// What is rendered. A format says what it needs (Format::needs); the rest may be missing.
struct Document {
  const Trace* trace = nullptr;
  const Report* report = nullptr;
  std::span<const FlameData> flames;

  // The zero of the relative times that are printed: the begin of the recording.
  Time origin() const;
};

struct RenderOptions {
  bool color = false;       // text: ANSI colours
  bool stats = false;       // text: srvprof's own cost in full
  bool verbose = false;     // text: the ledger of every route, all routes
  std::size_t width = 100;  // text: columns
};

struct Format {
  enum Needs : unsigned { kTrace = 1, kReport = 2, kFlames = 4 };

  std::string_view name;       // "--format NAME"
  std::string_view extension;  // with the dot; the first format with an extension is its default
  std::string_view doc;        // one line
  unsigned needs;              // what must be in the document
  Status (*render)(const Document& document, const RenderOptions& options, const ByteSink& sink);
};

std::span<const Format> formats();
// nullptr if there is none.
const Format* find_format(std::string_view name);
const Format* format_of_path(std::string_view path);

// The output as one string; for callers whose sink cannot fail.
std::string render_to_string(const Format& format, const Document& document,
                             const RenderOptions& options = {});

}  // namespace srvprof
