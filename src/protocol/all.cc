// The list of protocols: a new one is a file in this folder and a line here.
#include <algorithm>

#include "protocol/protocol.h"

namespace srvprof {
namespace {

const std::array<const Protocol*, 5> kList = {&kHttp2, &kTls, &kPgsql, &kResp, &kHttp1};

}  // namespace

std::span<const Protocol> protocols() {
  static const auto all = [] {
    std::array<Protocol, kList.size()> copy{};
    std::transform(kList.begin(), kList.end(), copy.begin(), [](const Protocol* p) { return *p; });
    return copy;
  }();
  return all;
}

const Protocol* recognise_protocol(std::string_view first) {
  if (first.empty()) return nullptr;
  for (const Protocol& protocol : protocols()) {
    if (protocol.recognise(first)) return &protocol;
  }
  return nullptr;
}

}  // namespace srvprof
