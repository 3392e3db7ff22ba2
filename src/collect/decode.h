// Kernel records -> rows of the recording.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "recording/writer.h"
#include "runtime/spans.h"

namespace srvprof {

struct DecodeOptions {
  bool keep_query = false;
  bool at_end = false;  // thread states from now on are those at detach
  std::span<const SpanKind* const> spans{};  // by the number in SP_SPAN records
};

// What the collector wants to know of the stream while it goes by. Each may be empty.
struct DecodeHooks {
  std::function<void(const rows::Request&)> request;
  std::function<void(const rows::Conn&)> conn;
  std::function<void(const rows::Task&)> task;
  std::function<void(const rows::Stack&)> stack;
  std::function<void(const rows::Span&)> span;
};

// Decodes one record of the ring and adds its row to the writer. False if the record is unknown or
// shorter than its kind says (counted by the caller as lost, "undecodable").
bool decode(std::span<const std::byte> record, const DecodeOptions& options, const DecodeHooks& hooks,
            RecordingWriter& writer);

}  // namespace srvprof
