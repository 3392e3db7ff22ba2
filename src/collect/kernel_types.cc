#include "collect/kernel_types.h"

#include <bpf/btf.h>

#include <memory>
#include <set>

namespace srvprof {
namespace {

struct FreeBtf {
  void operator()(btf* b) const { btf__free(b); }
};

const btf* kernel_btf() {
  static const std::unique_ptr<btf, FreeBtf> loaded(btf__load_vmlinux_btf());
  return loaded.get();
}

const btf_type* find(const std::string& name, unsigned kind) {
  const btf* types = kernel_btf();
  if (types == nullptr) return nullptr;
  const int id = btf__find_by_name_kind(types, name.c_str(), kind);
  return id > 0 ? btf__type_by_id(types, static_cast<unsigned>(id)) : nullptr;
}

const btf_type* next(const btf_type* t) { return btf__type_by_id(kernel_btf(), t->type); }

std::set<std::string> helper_names() {
  std::set<std::string> names;
  const btf_type* helpers = find("bpf_func_id", BTF_KIND_ENUM);
  if (helpers == nullptr) return names;
  const struct btf_enum* values = btf_enum(helpers);
  for (unsigned i = 0; i < btf_vlen(helpers); ++i) {
    names.insert(btf__name_by_offset(kernel_btf(), values[i].name_off));
  }
  return names;
}

}  // namespace

bool kernel_has_tracepoint(const std::string& name) {
  return find("btf_trace_" + name, BTF_KIND_TYPEDEF) != nullptr;
}

// The typedef names a pointer to a function whose first argument is the program's own data.
std::optional<unsigned> tracepoint_args(const std::string& name) {
  const btf_type* t = find("btf_trace_" + name, BTF_KIND_TYPEDEF);
  if (t == nullptr) return std::nullopt;
  const btf_type* function = next(next(t));
  return btf_vlen(function) - 1u;
}

std::optional<unsigned> kernel_function_args(const std::string& name) {
  const btf_type* t = find(name, BTF_KIND_FUNC);
  if (t == nullptr) return std::nullopt;
  return btf_vlen(next(t));
}

// They are guarded by SRCU then. Before 6.13 another guard had the same name, but srcu_ctr (6.15) was not there yet.
bool kernel_preempts_tracepoints() {
  return find("tracepoint_srcu_srcu_data", BTF_KIND_VAR) != nullptr && find("srcu_ctr", BTF_KIND_STRUCT) != nullptr;
}

bool kernel_has_helper(const std::string& name) {
  static const std::set<std::string> names = helper_names();
  return names.contains("BPF_FUNC_" + name);
}

}  // namespace srvprof
