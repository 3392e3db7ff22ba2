// Rows a second and bytes a row of the recording: the writer shares the machine with the target.
// Rows are made like those of a 30k requests/s run; "paths" is how many distinct ones there are
// (0: a different one in each request).
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "recording/reader.h"
#include "recording/text.h"
#include "recording/writer.h"

namespace srvprof {
namespace {

constexpr std::size_t kRows = 300'000;  // 10 s at 30k/s

std::vector<rows::Request> make_requests(std::uint64_t paths) {
  std::mt19937_64 random(1);
  std::vector<rows::Request> out(kRows);
  std::uint64_t now = 1'000'000'000'000;
  for (std::size_t i = 0; i < kRows; ++i) {
    rows::Request& r = out[i];
    now += random() % 66'000;
    const std::uint64_t ready = 5'000 + random() % 200'000, service = 20'000 + random() % 900'000;
    r.t_arrive = time_from_ns(now);
    r.t_read = r.t_read_last = time_from_ns(now + ready);
    r.t_write = r.t_write_last = time_from_ns(now + ready + service);
    r.conn = static_cast<std::uint32_t>(1 + random() % 64);
    r.tid_read = r.tid_write = static_cast<std::uint32_t>(4242 + random() % 8);
    r.status = 200;
    r.bytes_in = 140;
    r.bytes_out = static_cast<std::uint32_t>(300 + random() % 50);
    r.n_read = r.n_write = 1;
    r.g = 0xc000000000u + random() % 64 * 0x380u;
    r.method = "GET";
    r.path = "/items/" + std::to_string(paths != 0 ? random() % paths : random());
  }
  return out;
}

Fd memory_file() { return Fd(::memfd_create("bench", MFD_CLOEXEC)); }

// `recorded` is how many rows of `rows` go into a file; the file stays open as `copy`.
template <class Row>
std::uint64_t write_rows(const std::vector<Row>& rows, Fd fd) {
  auto writer = RecordingWriter::adopt(std::move(fd), "bench");
  if (!writer.ok()) std::abort();
  for (const Row& row : rows) writer->add(row);
  if (!writer->close().ok()) std::abort();
  return writer->bytes_written();
}

template <class Row>
void run_write(benchmark::State& state, const std::vector<Row>& rows) {
  std::uint64_t bytes = 0;
  for (auto _ : state) bytes = write_rows(rows, Fd(::open("/dev/null", O_WRONLY | O_CLOEXEC)));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(rows.size()));
  state.counters["bytes_per_row"] = static_cast<double>(bytes) / static_cast<double>(rows.size());
}

void BM_WriteRequests(benchmark::State& state) {
  run_write(state, make_requests(static_cast<std::uint64_t>(state.range(0))));
}
BENCHMARK(BM_WriteRequests)
    ->ArgName("paths")
    ->Arg(2)
    ->Arg(1000)
    ->Arg(0)
    ->Unit(benchmark::kMillisecond);

void BM_WriteOffCpu(benchmark::State& state) {
  std::mt19937_64 random(2);
  std::vector<std::uint64_t> stacks(200);
  for (auto& s : stacks) s = random();
  std::vector<rows::OffCpu> rows(kRows);
  std::uint64_t now = 1'000'000'000'000;
  for (rows::OffCpu& r : rows) {
    now += random() % 25'000;
    r.t_out = time_from_ns(now);
    r.t_wake = time_from_ns(now + random() % 400'000);
    r.t_in = time_from_ns(to_ns(r.t_wake) + random() % 20'000);
    r.tid = static_cast<std::uint32_t>(4242 + random() % 8);
    r.cpu = static_cast<std::uint32_t>(random() % 2);
    r.waker = static_cast<std::uint32_t>(random() % 3 == 0 ? 0 : 4242 + random() % 8);
    r.state = 1;
    r.sysnr = random() % 4 == 0 ? 202 : 232;
    r.kstack = random() % 20 == 0 ? stacks[random() % stacks.size()] : 0;
  }
  run_write(state, rows);
}
BENCHMARK(BM_WriteOffCpu)->Unit(benchmark::kMillisecond);

void BM_ReadRequests(benchmark::State& state) {
  Fd fd = memory_file();
  const int copy = ::dup(fd.get());
  write_rows(make_requests(static_cast<std::uint64_t>(state.range(0))), std::move(fd));
  auto reader = RecordingReader::adopt(Fd(copy), "bench");
  if (!reader.ok()) std::abort();
  for (auto _ : state) {
    std::uint64_t sum = 0;
    auto report = reader->read_all([&](const rows::Request& r) { sum += r.path.size(); });
    if (!report.ok() || report->rows != kRows) std::abort();
    benchmark::DoNotOptimize(sum);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kRows));
}
BENCHMARK(BM_ReadRequests)->ArgName("paths")->Arg(1000)->Arg(0)->Unit(benchmark::kMillisecond);

void BM_Text(benchmark::State& state) {
  const auto rows = make_requests(1000);
  for (auto _ : state) {
    TextParser parser("bench");
    AnyRow row;
    if (!parser.line(kTextHeader, row).ok()) std::abort();
    for (std::size_t i = 0; i < 10'000; ++i) {
      auto r = parser.line(to_text(rows[i]), row);
      if (!r.ok() || !*r) std::abort();
    }
  }
  state.SetItemsProcessed(state.iterations() * 10'000);
}
BENCHMARK(BM_Text)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace srvprof
