#include "collect/kernel_types.h"

#include <bpf/btf.h>

#include <memory>

namespace srvprof {
namespace {

struct FreeBtf {
  void operator()(btf* b) const { btf__free(b); }
};

const btf* kernel_btf() {
  static const std::unique_ptr<btf, FreeBtf> loaded(btf__load_vmlinux_btf());
  return loaded.get();
}

}  // namespace

bool kernel_has_tracepoint(const std::string& name) {
  const btf* types = kernel_btf();
  if (types == nullptr) return false;
  return btf__find_by_name_kind(types, ("btf_trace_" + name).c_str(), BTF_KIND_TYPEDEF) > 0;
}

}  // namespace srvprof
