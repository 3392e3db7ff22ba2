// Records of the kernel side: pieces "length (2 bytes), record".
#include <fcntl.h>

#include "collect/decode.h"
#include "fuzz.h"

using namespace srvprof;

SRVPROF_FUZZ(input) {
  static const std::string_view kWords[] = {"one", "two"};
  static const SpanKind kKinds[] = {{"gc.pause", SpanBy::kThread, false, kWords, kWords}, {"gc.stw"}};
  static const SpanKind* const kSpans[] = {&kKinds[0], &kKinds[1]};
  auto writer = RecordingWriter::adopt(Fd(::open("/dev/null", O_WRONLY | O_CLOEXEC)), "fuzz");
  fuzz::require(writer.ok());
  DecodeOptions options;
  options.spans = kSpans;
  fuzz::Cutter cutter(input);
  while (!cutter.rest().empty()) {
    const auto record = cutter.bytes(cutter.take<std::uint16_t>() % 2048);
    (void)decode(std::as_bytes(record), options, {}, *writer);
    options.keep_query = !options.keep_query;
  }
  fuzz::require(writer->status().ok());
}
