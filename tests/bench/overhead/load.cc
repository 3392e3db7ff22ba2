#include "load.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/fd.h"
#include "base/parse.h"
#include "base/result.h"
#include "base/time.h"

namespace srvprof {
namespace {

constexpr std::string_view kNumber = "{n}";
constexpr std::size_t kDigits = 10;

struct Connection {
  Fd fd;
  std::uint64_t due = 0;     // ns; when its request was (or should have been) sent
  std::size_t received = 0;  // bytes of the answer so far
};

class Load {
 public:
  Load(const LoadOptions& options, LoadCounters& counters) : options_(options), counters_(counters) {}
  Status run();

 private:
  Status open();
  Result<std::size_t> answer_length();
  Status fire(std::uint32_t i, std::uint64_t due);
  Status take(std::uint32_t i);
  Status send_due();

  const LoadOptions& options_;
  LoadCounters& counters_;
  std::string request_;
  std::size_t number_at_ = std::string::npos;
  std::uint64_t number_ = 0;
  Fd epoll_;
  std::vector<Connection> connections_;
  std::vector<std::uint32_t> idle_;
  std::size_t length_ = 0;  // of every answer
  double rate_ = 0;
  std::uint64_t next_due_ = 0, answered_ = 0;
  std::array<char, 1 << 17> buffer_{};
};

std::uint64_t now_ns() { return to_ns(MonotonicClock::now()); }

// Length of the whole answer that `text` begins with; 0 = not known yet.
Result<std::size_t> length_of(std::string_view text) {
  const std::size_t head = text.find("\r\n\r\n");
  if (head == std::string_view::npos) return std::size_t{0};
  if (!text.starts_with("HTTP/1.1 200")) {
    return Error{fmt::format("the server answers {}", text.substr(0, text.find('\r'))), "", {}};
  }
  std::string lower(text.substr(0, head + 2));
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  const std::string_view length = "\r\ncontent-length: ";
  if (const std::size_t at = lower.find(length); at != std::string::npos) {
    const std::size_t from = at + length.size();
    const auto n = parse_number<std::uint64_t>(std::string_view(lower).substr(from, lower.find('\r', from) - from));
    if (!n) return Error{"the server's Content-Length is no number", "", {}};
    return text.size() >= head + 4 + *n ? head + 4 + static_cast<std::size_t>(*n) : 0;
  }
  if (lower.find("\r\ntransfer-encoding: chunked") == std::string::npos) {
    return Error{"the server's answer has no length", "", {}};
  }
  const std::size_t end = text.find("\r\n0\r\n\r\n", head + 2);
  return end == std::string_view::npos ? 0 : end + 7;
}

Status Load::fire(std::uint32_t i, std::uint64_t due) {
  Connection& c = connections_[i];
  c.due = due;
  c.received = 0;
  if (number_at_ != std::string::npos) {
    std::uint64_t n = ++number_;
    for (std::size_t d = kDigits; d-- > 0; n /= 10) {
      request_[number_at_ + d] = static_cast<char>('0' + n % 10);
    }
  }
  const ssize_t n = ::send(c.fd.get(), request_.data(), request_.size(), MSG_NOSIGNAL);
  if (n == static_cast<ssize_t>(request_.size())) return {};
  return errno_error("sending a request", n < 0 ? errno : EAGAIN);
}

Status Load::open() {
  request_ = fmt::format("GET {} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", options_.path);
  if (const std::size_t at = request_.find(kNumber); at != std::string::npos) {
    request_.replace(at, kNumber.size(), std::string(kDigits, '0'));
    number_at_ = at;
  }
  epoll_.reset(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll_.valid()) return errno_error("epoll_create1", errno);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(options_.port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  for (std::uint32_t i = 0; i < options_.connections; ++i) {
    Connection& c = connections_.emplace_back();
    c.fd.reset(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!c.fd.valid()) return errno_error("socket", errno);
    if (::connect(c.fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      return errno_error(fmt::format("connecting to 127.0.0.1:{}", options_.port), errno);
    }
    const int one = 1;
    ::setsockopt(c.fd.get(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (i == 0) length_ = TRY(answer_length());
    ::fcntl(c.fd.get(), F_SETFL, O_NONBLOCK);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u32 = i;
    if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, c.fd.get(), &event) != 0) {
      return errno_error("epoll_ctl", errno);
    }
    idle_.push_back(i);
  }
  return {};
}

// Asks once, blocking, on the first connection.
Result<std::size_t> Load::answer_length() {
  TRY(fire(0, now_ns()));
  std::string text;
  for (;;) {
    const ssize_t n = ::recv(connections_[0].fd.get(), buffer_.data(), buffer_.size(), 0);
    if (n <= 0) return errno_error("reading the first answer", n < 0 ? errno : ECONNRESET);
    text.append(buffer_.data(), static_cast<std::size_t>(n));
    const std::size_t length = TRY(length_of(text));
    if (length == 0) continue;
    if (text.size() == length) return length;
    return Error{"the server sent more than its answer", "", {}};
  }
}

Status Load::take(std::uint32_t i) {
  Connection& c = connections_[i];
  const ssize_t n = ::recv(c.fd.get(), buffer_.data(), buffer_.size(), 0);
  if (n < 0 && errno == EAGAIN) return {};
  if (n <= 0) return errno_error("reading an answer", n < 0 ? errno : ECONNRESET);
  if (c.received == 0 && !std::string_view(buffer_.data(), static_cast<std::size_t>(n))
                              .starts_with("HTTP/1.1 200")) {
    return Error{"an answer is not 200", "", {}};
  }
  c.received += static_cast<std::size_t>(n);
  if (c.received < length_) return {};
  if (c.received > length_) return Error{"an answer is longer than the first one", "", {}};
  const std::uint64_t now = now_ns();
  if (counters_.counting.load(std::memory_order_relaxed) != 0) {
    auto& slot = counters_.latencies.count[LatencySlots::index(now - std::min(now, c.due))];
    slot.store(slot.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  counters_.answered.store(++answered_, std::memory_order_relaxed);
  if (rate_ == 0) return fire(i, now);
  idle_.push_back(i);
  return {};
}

// Open loop: evenly spaced; a request that finds no idle connection is sent late and counts from when
// it was due.
Status Load::send_due() {
  const double rate = counters_.rate.load(std::memory_order_relaxed);
  const std::uint64_t now = now_ns();
  if (rate != rate_) {
    rate_ = rate;
    next_due_ = now;
  }
  if (rate_ == 0) {
    while (!idle_.empty()) {
      TRY(fire(idle_.back(), now));
      idle_.pop_back();
    }
    return {};
  }
  const auto gap = static_cast<std::uint64_t>(1e9 / rate_);
  while (next_due_ <= now && !idle_.empty()) {
    TRY(fire(idle_.back(), next_due_));
    idle_.pop_back();
    next_due_ += gap;
  }
  const std::uint64_t late = next_due_ < now ? now - next_due_ : 0;
  if (late > counters_.late_ns.load(std::memory_order_relaxed)) {
    counters_.late_ns.store(late, std::memory_order_relaxed);
  }
  return {};
}

Status Load::run() {
  TRY(open());
  counters_.ready.store(1);
  std::array<epoll_event, 256> events;
  while (counters_.stop.load(std::memory_order_relaxed) == 0) {
    TRY(send_due());
    const int n = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), 0);
    if (n < 0 && errno != EINTR) return errno_error("epoll_wait", errno);
    for (int i = 0; i < n; ++i) TRY(take(events[static_cast<std::size_t>(i)].data.u32));
  }
  return {};
}

}  // namespace

int run_load(const LoadOptions& options, LoadCounters& counters) {
  const Status done = Load(options, counters).run();
  if (done.ok()) return 0;
  const std::string& what = done.error().what;
  std::memcpy(counters.error.data(), what.data(), std::min(what.size(), counters.error.size() - 1));
  return 1;
}

}  // namespace srvprof
