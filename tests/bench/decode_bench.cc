// Ring records to rows: what the collector does while the target runs.
#include <benchmark/benchmark.h>
#include <fcntl.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "collect/decode.h"
#include "records.h"
#include "recording/writer.h"

namespace srvprof {
namespace {

constexpr std::size_t kRecords = 100'000;

// Records back to back, as long as the kernel side makes them.
struct Ring {
  std::vector<std::byte> bytes;
  std::vector<std::size_t> ends;

  void add(const void* record, std::size_t size) {
    const auto* p = static_cast<const std::byte*>(record);
    bytes.insert(bytes.end(), p, p + size);
    ends.push_back(bytes.size());
  }
};

Ring requests(bool same_path) {
  std::mt19937_64 random(7);
  Ring ring;
  for (std::size_t i = 0; i < kRecords; ++i) {
    sp_request r{};
    r.h.kind = SP_REQUEST;
    r.h.tid = 4242;
    r.h.t = 1'000'000'000'000 + i * 33'000;
    r.t_arrive = r.h.t - random() % 100'000;
    r.t_read_last = r.h.t;
    r.t_write = r.t_write_last = r.h.t + 20'000 + random() % 50'000;
    r.conn = static_cast<std::uint32_t>(1 + random() % 64);
    r.tid_write = 4242;
    r.bytes_in = 140;
    r.bytes_out = 3000;
    r.n_read = r.n_write = 1;
    r.status = 200;
    const std::string line =
        "GET /items/" + std::to_string(same_path ? 1234567 : 1'000'000 + random() % 9'000'000) + " HTTP/1.1";
    const std::size_t padded = (line.size() + 8) / 8 * 8;
    std::memcpy(r.head, line.data(), line.size());
    r.h.aux = static_cast<std::uint16_t>(padded);
    ring.add(&r, sizeof r - SP_HEAD_MAX + padded);
  }
  return ring;
}

Ring switches() {
  std::mt19937_64 random(8);
  Ring ring;
  for (std::size_t i = 0; i < kRecords; ++i) {
    sp_offcpu r{};
    r.h.kind = SP_OFFCPU;
    r.h.tid = static_cast<std::uint32_t>(4242 + random() % 8);
    r.h.t = 1'000'000'000'000 + i * 25'000;
    r.off_ns = static_cast<std::uint32_t>(1'000 + random() % 400'000);
    r.runq_ns = static_cast<std::uint32_t>(random() % 1'000);
    r.waker = static_cast<std::uint32_t>(5000 + random() % 3);
    r.sysnr = 232;
    r.state = 'S';
    r.flags = SP_OFF_FROM_SYSCALL;
    ring.add(&r, sizeof r);
  }
  return ring;
}

void run(benchmark::State& state, const Ring& ring) {
  for (auto _ : state) {
    auto writer = RecordingWriter::adopt(Fd(::open("/dev/null", O_WRONLY | O_CLOEXEC)), "bench");
    if (!writer.ok()) std::abort();
    std::uint64_t seen = 0;
    DecodeHooks hooks;
    hooks.request = [&](const rows::Request& r) { seen += r.path.empty() ? 0 : 1; };
    std::size_t begin = 0;
    for (const std::size_t end : ring.ends) {
      const std::span<const std::byte> record(ring.bytes.data() + begin, end - begin);
      if (!decode(record, {}, hooks, *writer)) std::abort();
      begin = end;
    }
    if (!writer->close().ok()) std::abort();
    benchmark::DoNotOptimize(seen);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(ring.ends.size()));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(ring.bytes.size()));
}

void BM_DecodeRequests(benchmark::State& state) { run(state, requests(state.range(0) != 0)); }
BENCHMARK(BM_DecodeRequests)->ArgName("same_path")->Arg(1)->Arg(0)->Unit(benchmark::kMillisecond);

void BM_DecodeOffCpu(benchmark::State& state) { run(state, switches()); }
BENCHMARK(BM_DecodeOffCpu)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace srvprof
