// Random rows: plausible ones (threads that switch, connections that carry one request after the
// other) and, with `wild`, rows that no kernel would send.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "trace/builder.h"
#include "trace/flags.h"

namespace srvprof {

class RandomTrace {
 public:
  struct Options {
    bool goroutines = false, wild = false;
    std::uint32_t threads = 4, conns = 8, requests = 300;
  };

  RandomTrace(unsigned seed, Options options) : random_(seed), o_(options) {}

  Trace build() {
    TraceBuilder builder;
    rows::Meta meta{.key = "target.runtime", .value = o_.goroutines ? "go" : "node"};
    builder(meta);
    for (std::uint32_t i = 0; i < o_.threads; ++i) thread(builder, 10 + i);
    for (std::uint32_t i = 0; i < o_.conns; ++i) connection(builder, 1 + i);
    for (std::uint32_t i = 0; i < 200; ++i) odds_and_ends(builder);
    return builder.build();
  }

 private:
  static constexpr std::int64_t kBegin = 1000'000'000, kEnd = 1400'000'000;

  std::uint32_t pick(std::uint32_t n) {
    return n == 0 ? 0 : static_cast<std::uint32_t>(random_() % n);
  }
  bool chance(std::uint32_t percent) { return pick(100) < percent; }
  Time at(std::int64_t ns) { return Time(Duration(ns)); }
  // Exponential, so that short and long ones occur.
  std::int64_t some(double mean_ns) {
    return static_cast<std::int64_t>(std::exponential_distribution<double>(1 / mean_ns)(random_));
  }
  std::int64_t anywhere() { return kBegin + some(2e8); }
  std::uint32_t tid() { return 10 + pick(o_.threads + (o_.wild ? 3 : 0)); }

  void thread(TraceBuilder& b, std::uint32_t id) {
    rows::ThreadState s{.t = at(kBegin),
                        .since = {},
                        .t_wake = {},
                        .at_end = false,
                        .tid = id,
                        .pid = 10,
                        .run = 1 + pick(3),
                        .state = 'S',
                        .sysnr = 281,
                        .flags = 32,
                        .kstack = 0,
                        .comm = "x"};
    if (chance(80)) b(s);
    if (chance(20)) {
      rows::Task task;
      task.t = at(kBegin + some(1e8));
      task.tid = id;
      task.pid = 10;
      task.parent = 10 + pick(o_.threads);
      task.flags = kTaskBorn | kTaskTarget;
      b(task);
    }
    std::int64_t t = kBegin;
    while (t < kEnd) {
      const std::int64_t out = t + some(2e6);
      rows::OffCpu off;
      off.tid = id;
      off.t_out = at(out);
      const bool preempted = chance(30);
      const std::int64_t wake = preempted ? out : out + some(3e6);
      const std::int64_t in = wake + some(5e5);
      off.t_wake = preempted ? Time{} : at(wake);
      off.t_in = at(in);
      off.cpu = pick(2);
      off.waker = chance(50) ? tid() : pick(900);
      off.occupant = chance(30) ? 0 : 800 + pick(5);
      off.state = preempted ? 'R' : "SSSSDTt"[pick(7)];
      off.sysnr = std::array<std::uint32_t, 8>{281, 281, 202, 45, 0, 35, 74, 65535}[pick(8)];
      off.flags = (off.sysnr < 1024 ? 32U : 0U) | (preempted ? 1U : 0U);
      if (chance(10)) off.throttled_ns = static_cast<std::uint64_t>(some(1e6));
      if (chance(10)) off.steal_ns = static_cast<std::uint32_t>(some(2e6));
      if (o_.wild && chance(10)) off.t_out = at(out - some(5e6));
      if (o_.wild && chance(5)) off.t_in = at(out - some(5e6));
      if (o_.wild && chance(5)) off.flags |= kOffNoStart;
      b(off);
      t = in;
    }
    s.at_end = true;
    s.t = at(kEnd);
    s.run = 1 + pick(3);
    s.since = chance(80) ? at(t) : Time{};
    if (chance(80)) b(s);
    if (o_.wild && chance(20)) b(rows::TaskExit{.t = at(anywhere()), .tid = id, .pid = 10});
  }

  void connection(TraceBuilder& b, std::uint32_t id) {
    rows::Conn conn;
    conn.id = id;
    conn.pid = 10;
    conn.t_open = at(kBegin);
    conn.t_accept = chance(50) ? at(kBegin + some(1e7)) : Time{};
    conn.flags = id % 4 == 0 ? kConnOut : 0U;
    if (chance(90)) b(conn);
    std::int64_t t = kBegin + some(1e6);
    for (std::uint32_t i = 0; i < o_.requests / o_.conns && t < kEnd; ++i) {
      t = (conn.flags & kConnOut) != 0 ? exchange(b, id, t) : request(b, id, t, i);
    }
    if (chance(30))
      b(rows::ConnClose{
          .t = at(t), .id = id, .flags = 0, .requests = 0, .bytes_in = 0, .bytes_out = 0});
  }

  std::int64_t request(TraceBuilder& b, std::uint32_t conn, std::int64_t t, std::uint32_t n) {
    rows::Request r;
    r.conn = conn;
    r.tid_read = tid();
    r.tid_write = chance(80) ? r.tid_read : tid();
    r.t_arrive = at(t);
    std::int64_t e = t + some(3e6);
    r.t_read = at(e);
    r.n_read = 1 + pick(2);
    if (chance(20)) r.t_read_last = at(e += some(1e6));
    e += some(4e6);
    r.t_write = at(e);
    r.n_write = 1;
    if (chance(30)) {
      e += some(2e6);
      r.n_write = 2 + pick(5);
    }
    r.t_write_last = at(e);
    r.g = o_.goroutines ? 1000 + conn : 0;
    r.method = chance(50) ? "GET" : "POST";
    r.path = "/r/" + std::to_string(pick(4));
    r.flags = (n == 0 ? kReqFirst : 0U) | (chance(10) ? kReqSendBlocked : 0U) |
              (chance(5) ? kReqPipelined : 0U);
    if (chance(10)) r.steal_ns = static_cast<std::uint32_t>(some(3e6));
    if (e > kEnd || chance(1)) {
      r.flags |= kReqCensored;
      r.t_write = {};
      r.tid_write = 0;
      r.n_write = 0;
    } else if (chance(3)) {
      r.flags |= kReqAborted;
    }
    if (o_.wild && chance(10)) r.t_write = at(anywhere());
    if (o_.wild && chance(10)) r.t_read = chance(50) ? Time{} : at(anywhere());
    if (o_.wild && chance(5)) r.t_arrive = at(anywhere());
    if (o_.wild && chance(3)) r.tid_read = 0;
    if (o_.wild && chance(1)) r.t_write_last = at(-5);
    b(r);
    return e + some(1e6);
  }

  std::int64_t exchange(TraceBuilder& b, std::uint32_t conn, std::int64_t t) {
    rows::Exchange x;
    x.conn = conn;
    x.tid_write = tid();
    x.tid_read = chance(80) ? x.tid_write : tid();
    x.t_write = at(t);
    x.t_write_last = at(t + (chance(20) ? some(1e5) : 0));
    const std::int64_t arrive = t + some(5e6);
    const std::int64_t read = arrive + some(5e5);
    if (chance(95)) {
      x.t_arrive = at(arrive);
      x.t_read = at(read);
      x.t_read_last = at(read + (chance(20) ? some(1e6) : 0));
    }
    x.g = o_.goroutines ? 1000 + pick(o_.conns) : 0;
    if (o_.wild && chance(10)) x.t_arrive = at(anywhere());
    b(x);
    return read + some(2e6);
  }

  void odds_and_ends(TraceBuilder& b) {
    const Time t = at(anywhere());
    switch (pick(7)) {
      case 0:
        b(rows::Slice{.t_end = t, .cpu = pick(2), .tid = pick(2) == 0 ? 0 : 800 + pick(5)});
        break;
      case 1: b(rows::Migrate{.t = t, .tid = tid(), .from_cpu = pick(2), .to_cpu = pick(2)}); break;
      case 2:
        b(rows::Mark{.t = t,
                     .tid = tid(),
                     .conn = 1 + pick(o_.conns),
                     .kind = 1 + pick(12),
                     .bytes = 1,
                     .g = o_.goroutines ? 1000 + pick(o_.conns) : 0});
        break;
      case 3:
        b(rows::Signal{.t = t,
                       .tid = tid(),
                       .signal = 19,
                       .sender_pid = 5,
                       .sender_tid = 6,
                       .sender = "kill"});
        break;
      case 4: b(rows::Unsampled{.t = t, .tid = tid(), .kind = 1}); break;
      case 5:
        b(rows::Irq{.t = t,
                    .tid = tid(),
                    .vector = 3,
                    .ns = static_cast<std::uint32_t>(some(1e5)),
                    .softirq = chance(50)});
        break;
      default: b(rows::Freeze{.t = t, .frozen = chance(50), .pid = 7, .cgroup = 0, .comm = "runc"});
    }
  }

  std::mt19937 random_;
  Options o_;
};

}  // namespace srvprof
