#include "collect/probes.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <map>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/fd.h"
#include "collect/capture_path.h"
#include "collect/kernel_log.h"
#include "collect/kernel_types.h"
#include "collect/skeleton.h"
#include "collect/stack_tables.h"

namespace srvprof {
namespace {

int open_cpu_clock(unsigned cpu, unsigned frequency) {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_CPU_CLOCK;
  attr.sample_freq = frequency;
  attr.freq = 1;
  return static_cast<int>(
      ::syscall(SYS_perf_event_open, &attr, -1, static_cast<int>(cpu), -1, PERF_FLAG_FD_CLOEXEC));
}

// Reading the descriptor of an iterator runs its program over every element.
Status run_iterator(bpf_link* link, std::string_view what) {
  if (link == nullptr) return Error{fmt::format("iterating over {}: no iterator", what), "", {}};
  Fd fd(bpf_iter_create(bpf_link__fd(link)));
  if (!fd.valid()) return errno_error(fmt::format("iterating over {}", what), errno);
  char buffer[256];
  ssize_t n = 0;
  while ((n = ::read(fd.get(), buffer, sizeof buffer)) > 0 || (n < 0 && errno == EAGAIN)) {
  }
  if (n < 0) return errno_error(fmt::format("iterating over {}", what), errno);
  return {};
}

}  // namespace

struct Probes::Impl {
  ProbeConfig config;
  const CapturePath* path = nullptr;
  std::string refused;  // better ways of capture, and why not
  srvprof_bpf* skel = nullptr;
  ring_buffer* ring = nullptr;
  std::vector<bpf_link*> links;
  // Of the trial attach, used again: before 5.13 (commit f3a95075549e) a program finds its trampoline
  // only once.
  std::map<bpf_program*, bpf_link*> tried;
  bpf_link *task_iter = nullptr, *sock_iter = nullptr;
  std::vector<bpf_link*> file_iters;
  std::vector<ProbeStatus> status;
  const Sink* sink = nullptr;
  std::size_t taken = 0;
  Fd statistics;
  BpfRunTime statistics_start;
  std::string no_walker;  // why stacks are not walked by tables
  bool sees_sends = false;
  bool wants_clients = false;
  std::string no_clients;  // why the load generator's side is not traced although it was asked for

  ~Impl() {
    if (skel != nullptr) skel->bss->shared.active = 0;
    drop_links();
    ring_buffer__free(ring);
    srvprof_bpf__destroy(skel);
  }

  void drop_links() {
    for (bpf_link* link : links) bpf_link__destroy(link);
    for (bpf_link* link : file_iters) bpf_link__destroy(link);
    drop_tried();
    bpf_link__destroy(std::exchange(task_iter, nullptr));
    bpf_link__destroy(std::exchange(sock_iter, nullptr));
    links.clear();
    file_iters.clear();
  }

  void drop_tried() {
    for (const auto& [program, link] : tried) bpf_link__destroy(link);
    tried.clear();
  }

  bool main_path() const { return path->way == CapturePath::Way::kSock; }
  bpf_program* tick() const {
    return bpf_program__autoload(skel->progs.sp_sample_tick) ? skel->progs.sp_sample_tick
                                                             : skel->progs.sp_sample_tick_old;
  }
  void fill_config();
  void leave_out_clients();
  Status load(bool walker);
  Status load_path(const CapturePath& candidate);
  Status load_best();
  Status try_hooks();
  Status connect_stacks();
  Status attach_program(bpf_program* program);
  Status attach_samples();
  Status make_iterators();
  template <typename F>
  void for_each_loaded(F take) const;
  static int on_record(void* context, void* data, std::size_t size);
};

// take(name of its section, what the kernel tells of it)
template <typename F>
void Probes::Impl::for_each_loaded(F take) const {
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, skel->obj) {
    const int fd = bpf_program__fd(program);
    if (fd < 0) continue;
    bpf_prog_info info{};
    std::uint32_t length = sizeof info;
    if (bpf_obj_get_info_by_fd(fd, &info, &length) == 0) take(bpf_program__section_name(program), info);
  }
}

void Probes::Impl::fill_config() {
  sp_config& c = skel->rodata->cfg;
  c.pid = config.pids.front();
  c.many = config.pids.size() > 1 || config.follow_children;
  c.follow = config.follow_children;
  c.netns = config.netns;
  c.go = config.go;
  c.full = config.full;
  c.cpus = static_cast<std::uint32_t>(std::clamp(libbpf_num_possible_cpus(), 1, int{SP_MAX_CPUS}));
  c.cgroup_v1 = config.cgroup_v1;
  c.clients = config.clients;
  c.wait_stack_ns = 1'000'000;
  c.user_stack_gap_ns = 10'000'000;
  sp_shared& s = skel->bss->shared;
  s.one_in = 1;
  for (std::uint16_t port : config.ports) {
    if (s.n_ports < SP_MAX_PORTS) s.ports[s.n_ports++] = port;
  }
}

// The programs of the load generator's side, where it is not traced or the kernel cannot tell of a send.
void Probes::Impl::leave_out_clients() {
  sees_sends = config.clients && main_path() && kernel_has_tracepoint("tcp_sendmsg_locked");
  bpf_program__set_autoload(skel->progs.sp_client_send, sees_sends);
  for (bpf_program* p : {skel->progs.sp_client_switch, skel->progs.sp_client_waking,
                         skel->progs.sp_client_wakeup_new, skel->progs.sp_client_fork}) {
    bpf_program__set_autoload(p, config.clients);
  }
  bpf_map__set_autocreate(skel->maps.client_threads, config.clients);
}

Status Probes::Impl::load(bool walker) {
  srvprof_bpf__destroy(std::exchange(skel, nullptr));
  clear_kernel_log();
  skel = srvprof_bpf__open();
  if (skel == nullptr) return refusal("opening the kernel side", errno);
  fill_config();
  skel->rodata->cfg.unwind = walker;
  if (config.ring_bytes != 0) {
    bpf_map__set_max_entries(skel->maps.ring, static_cast<std::uint32_t>(config.ring_bytes));
  }
  bpf_map__set_max_entries(skel->maps.accepts,
                           std::min<std::uint32_t>(skel->rodata->cfg.cpus, SP_ACCEPT_CPUS));
  if (walker) {
    const StackTables::Sizes sizes = config.stacks->sizes();
    bpf_map__set_max_entries(skel->maps.texts, sizes.texts);
    bpf_map__set_max_entries(skel->maps.buckets, sizes.buckets);
    bpf_map__set_max_entries(skel->maps.rows, sizes.rows);
  }
  choose_programs(*path, config.irq, *skel);
  leave_out_clients();
  if (const int rc = srvprof_bpf__load(skel); rc != 0) return refusal("loading the kernel side", -rc);
  return {};
}

Status Probes::Impl::connect_stacks() {
  StackTables::Maps maps;
  maps.spaces = bpf_map__fd(skel->maps.spaces);
  maps.texts = bpf_map__fd(skel->maps.texts);
  maps.buckets = bpf_map__fd(skel->maps.buckets);
  maps.rows = bpf_map__fd(skel->maps.rows);
  maps.sizes = {bpf_map__max_entries(skel->maps.texts), bpf_map__max_entries(skel->maps.buckets),
                bpf_map__max_entries(skel->maps.rows)};
  maps.pythons = bpf_map__fd(skel->maps.pythons);
  return config.stacks->connect(maps);
}

// Attaches what is special to the way of capture, for attach() to take over; the gate is closed.
Status Probes::Impl::try_hooks() {
  for (bpf_program* program : programs_of(*path, *skel)) {
    const std::string name = bpf_program__section_name(program);
    if (name.starts_with("iter/")) continue;
    bpf_link* link = bpf_program__attach(program);
    if (link == nullptr) return refusal("attaching " + name, errno);
    tried.emplace(program, link);
  }
  return {};
}

Status Probes::Impl::load_path(const CapturePath& candidate) {
  path = &candidate;
  TRY(kernel_may_have(candidate));
  no_walker.clear();
  no_clients.clear();
  config.clients = wants_clients && has_clients(*path);
  if (wants_clients && !config.clients) no_clients = "the load generator's side needs the socket tracepoints (Linux 6.3)";
  bool walker = config.stacks != nullptr;
  if (const Status may = kernel_may_walk(); walker && !may.ok()) {
    no_walker = may.error().what;
    walker = false;
  }
  Status loaded = load(walker);
  if (!loaded.ok() && config.clients) {  // the load generator's side is not required
    no_clients = loaded.error().what;
    config.clients = false;
    loaded = load(walker);
    if (!loaded.ok()) no_clients.clear();
  }
  if (!loaded.ok() && walker) {
    no_walker = loaded.error().what;
    loaded = load(false);
  }
  return loaded;
}

Status Probes::Impl::load_best() {
  if (config.capture != "auto") {
    const CapturePath* named = find_capture_path(config.capture);
    if (named == nullptr) return Error{"no way of capture is called " + config.capture, "", ErrorKind::kUsage};
    return load_path(*named);
  }
  std::optional<Error> first;
  for (const CapturePath& candidate : capture_paths()) {
    if (!tried_by_itself(candidate)) continue;
    Status loaded = load_path(candidate);
    if (loaded.ok()) loaded = try_hooks();
    if (loaded.ok()) return {};
    drop_tried();
    refused += fmt::format("{}{}: {}", refused.empty() ? "" : "; ", candidate.name, loaded.error().what);
    if (!first) first = loaded.error();
  }
  if (first->kind == ErrorKind::kPermission) return *first;
  first->what = "no way of capture is possible on this kernel: " + refused;
  return *first;
}

Result<std::unique_ptr<Probes>> Probes::load(const ProbeConfig& config) {
  libbpf_set_strict_mode(LIBBPF_STRICT_ALL);
  keep_kernel_log();
  auto impl = std::make_unique<Impl>();
  impl->config = config;
  impl->wants_clients = config.clients;
  TRY(impl->load_best());
  if (config.stacks != nullptr && impl->no_walker.empty()) {
    if (const Status s = impl->connect_stacks(); !s.ok()) impl->no_walker = s.error().what;
  }
  impl->ring = ring_buffer__new(bpf_map__fd(impl->skel->maps.ring), Impl::on_record, impl.get(),
                                nullptr);
  if (impl->ring == nullptr) return refusal("mapping the ring buffer", errno);
  std::unique_ptr<Probes> probes(new Probes(std::move(impl)));
  for (std::uint32_t pid : config.pids) TRY(probes->add_target(pid));
  return probes;
}

Probes::Probes(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Probes::~Probes() = default;

Status Probes::add_target(std::uint32_t pid) {
  const std::uint32_t one = 1;
  if (bpf_map__update_elem(impl_->skel->maps.targets, &pid, sizeof pid, &one, sizeof one, BPF_ANY)) {
    return errno_error(fmt::format("adding process {} to the targets", pid), errno);
  }
  return {};
}

Status Probes::add_client(std::uint32_t pid) {
  if (!impl_->config.clients) {
    return Error{impl_->no_clients.empty() ? "it was not asked for" : impl_->no_clients, "",
                 ErrorKind::kKernel};
  }
  const std::uint32_t one = 1;
  if (bpf_map__update_elem(impl_->skel->maps.clients, &pid, sizeof pid, &one, sizeof one, BPF_ANY)) {
    return errno_error(fmt::format("adding process {} to the load generators", pid), errno);
  }
  impl_->skel->bss->shared.maybe_client[pid % SP_CLIENT_SLOTS] = 1;
  return {};
}

bool Probes::sees_sends() const { return impl_->sees_sends; }

SpanHooks Probes::span_hooks() {
  if (!bpf_program__autoload(impl_->skel->progs.sp_span_hit)) return {};
  return {impl_->skel->progs.sp_span_hit, impl_->skel->progs.sp_span_return,
          bpf_map__fd(impl_->skel->maps.span_probes), bpf_map__fd(impl_->skel->maps.open_spans)};
}

Status Probes::Impl::attach_program(bpf_program* program) {
  const bool of_client = std::string_view(bpf_program__name(program)).starts_with("sp_client_");
  std::string name = bpf_program__section_name(program);
  if (of_client) name += " (client)";
  const auto trial = tried.extract(program);
  bpf_link* link = trial ? trial.mapped() : bpf_program__attach(program);
  if (link == nullptr) return refusal("attaching " + name, errno);
  links.push_back(link);
  status.push_back({name, true, ""});
  return {};
}

Status Probes::Impl::attach_samples() {
  ProbeStatus s{"perf_event/cpu-clock", false, "turned off (-F 0)"};
  if (config.frequency != 0) {
    const int cpus = libbpf_num_possible_cpus();
    for (int cpu = 0; cpu < cpus; ++cpu) {
      const int fd = open_cpu_clock(static_cast<unsigned>(cpu), config.frequency);
      if (fd < 0) {
        if (errno == ENODEV) continue;  // possible, but not online
        s.detail = errno_error("perf_event_open", errno).what;
        break;
      }
      bpf_link* link = bpf_program__attach_perf_event(tick(), fd);
      if (link == nullptr) {
        s.detail = errno_error("attaching to a perf event", errno).what;
        ::close(fd);
        break;
      }
      links.push_back(link);
      s.used = true;
    }
    if (s.used) s.detail = fmt::format("{} Hz a CPU", config.frequency);
  }
  status.push_back(s);
  return {};
}

Status Probes::Impl::make_iterators() {
  LIBBPF_OPTS(bpf_iter_attach_opts, options);
  bpf_iter_link_info info{};
  options.link_info = &info;
  options.link_info_len = sizeof info;
  bpf_program* files = main_path() ? skel->progs.sp_iter_file : skel->progs.sp_fallback_iter_file;
  bpf_program* socks = main_path() ? skel->progs.sp_iter_sock : skel->progs.sp_fallback_iter_sock;
  task_iter = bpf_program__attach_iter(skel->progs.sp_iter_task, nullptr);
  if (task_iter == nullptr) return refusal("attaching the task iterator", errno);
  for (std::uint32_t pid : config.pids) {  // one process: since 6.1, commit f0d74c4da1f0
    info = {};
    info.task.pid = pid;
    bpf_link* link = bpf_program__attach_iter(files, &options);
    if (link != nullptr) file_iters.push_back(link);
  }
  if (file_iters.empty()) {
    bpf_link* link = bpf_program__attach_iter(files, nullptr);
    if (link == nullptr) return refusal("attaching the file iterator", errno);
    file_iters.push_back(link);
  }
  info = {};
  info.map.map_fd = static_cast<std::uint32_t>(
      bpf_map__fd(main_path() ? skel->maps.socks : skel->maps.socks_by_address));
  sock_iter = bpf_program__attach_iter(socks, &options);
  if (sock_iter == nullptr) return refusal("attaching the socket iterator", errno);
  return {};
}

namespace {

// True for programs that are attached by what their section names.
bool attaches_by_name(std::string_view section) {
  for (const char* prefix : {"tp_btf/", "tp/", "fentry/", "fexit/", "kprobe/", "kretprobe/"}) {
    if (section.starts_with(prefix)) return true;
  }
  return false;
}

}  // namespace

Status Probes::attach() {
  clear_kernel_log();
  const CapturePath& path = *impl_->path;
  impl_->status.push_back({"capture", true, impl_->refused.empty() && impl_->main_path()
                                                ? ""
                                                : fmt::format("by {} ({}){}{}", path.name, path.hooks,
                                                              impl_->refused.empty() ? "" : "; ",
                                                              impl_->refused)});
  if (*path.unseen != '\0') impl_->status.push_back({fmt::format("capture.{}", path.name), false,
                                                     fmt::format("not seen this way: {}", path.unseen)});
  if (kernel_may_skip(path)) {
    impl_->status.push_back({fmt::format("capture.{}.skips", path.name), false,
                             "this kernel may preempt a thread in these hooks, and skips what others do meanwhile on "
                             "its CPU: counted as lost"});
  }
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, impl_->skel->obj) {
    if (!attaches_by_name(bpf_program__section_name(program)) || !bpf_program__autoload(program)) continue;
    TRY(impl_->attach_program(program));
  }
  if (impl_->config.clients && !impl_->sees_sends) {
    impl_->status.push_back({"tp_btf/tcp_sendmsg_locked (client)", false,
                             "this kernel, or this way of capture, does not have it: when a load generator's send began is not known"});
  }
  if (!impl_->config.irq) {
    for (const char* name : {"tp_btf/softirq_entry", "tp_btf/softirq_exit", "tp_btf/irq_handler_entry",
                             "tp_btf/irq_handler_exit"}) {
      impl_->status.push_back({name, false, "off unless asked for (--irq or --full)"});
    }
  }
  TRY(impl_->attach_samples());
  if (impl_->config.stacks != nullptr) {
    const Status walks = walker();
    impl_->status.push_back({"stacks.unwind", walks.ok(),
                             walks.ok() ? impl_->config.stacks->summary()
                                        : "stacks are followed by frame pointer alone: " + walks.error().what});
  }
  return impl_->make_iterators();
}

Status Probes::walker() const {
  if (impl_->no_walker.empty()) return {};
  return Error{impl_->no_walker, "", ErrorKind::kKernel};
}

void Probes::detach() {
  __atomic_store_n(&impl_->skel->bss->shared.active, 0u, __ATOMIC_SEQ_CST);
  impl_->drop_links();
  impl_->status.clear();
}

Status Probes::activate() {
  __atomic_store_n(&impl_->skel->bss->shared.active, 1u, __ATOMIC_SEQ_CST);
  TRY(run_iterator(impl_->task_iter, "the target's threads"));
  for (bpf_link* link : impl_->file_iters) TRY(run_iterator(link, "the target's connections"));
  return {};
}

Status Probes::deactivate() {
  __atomic_store_n(&impl_->skel->bss->shared.active, 0u, __ATOMIC_SEQ_CST);
  // A program that passed the gate before is done within microseconds.
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  TRY(run_iterator(impl_->sock_iter, "open connections"));
  return run_iterator(impl_->task_iter, "the target's threads");
}

int Probes::Impl::on_record(void* context, void* data, std::size_t size) {
  auto* self = static_cast<Impl*>(context);
  self->taken += size + 8;  // the ring's own header
  (*self->sink)({static_cast<const std::byte*>(data), size});
  return 0;
}

std::size_t Probes::consume(const Sink& sink) {
  impl_->sink = &sink;
  impl_->taken = 0;
  ring_buffer__consume(impl_->ring);
  impl_->sink = nullptr;
  return impl_->taken;
}

std::size_t Probes::ring_bytes() const { return bpf_map__max_entries(impl_->skel->maps.ring); }
sp_shared& Probes::shared() { return impl_->skel->bss->shared; }
const CapturePath& Probes::path() const { return *impl_->path; }
const std::vector<ProbeStatus>& Probes::status() const { return impl_->status; }

std::vector<std::pair<std::string, BpfRunTime>> Probes::run_times() const {
  std::vector<std::pair<std::string, BpfRunTime>> times;
  impl_->for_each_loaded([&times](const char* name, const bpf_prog_info& info) {
    times.push_back({name, {info.run_time_ns, info.run_cnt}});
  });
  return times;
}

std::map<std::string, std::uint64_t> Probes::skipped() const {
  std::map<std::string, std::uint64_t> skipped;
  impl_->for_each_loaded([&skipped](const char* name, const bpf_prog_info& info) {
    if (info.recursion_misses != 0) skipped[name] += info.recursion_misses;
  });
  return skipped;
}

namespace {

BpfRunTime total_run_time(const Probes& probes) {
  BpfRunTime total;
  for (const auto& [name, time] : probes.run_times()) {
    total.run_ns += time.run_ns;
    total.runs += time.runs;
  }
  return total;
}

}  // namespace

bool Probes::begin_statistics() {
  impl_->statistics_start = total_run_time(*this);
  impl_->statistics.reset(bpf_enable_stats(BPF_STATS_RUN_TIME));
  return impl_->statistics.valid();
}

BpfRunTime Probes::end_statistics() {
  BpfRunTime now = total_run_time(*this);
  impl_->statistics.reset();
  now.run_ns -= impl_->statistics_start.run_ns;
  now.runs -= impl_->statistics_start.runs;
  return now;
}

Status try_walker() {
  ProbeConfig config;
  config.pids = {static_cast<std::uint32_t>(::getpid())};
  config.ring_bytes = 65536;
  StackTables tables{ProcFs{}};
  tables.add(::getpid(), "");
  config.stacks = &tables;
  auto probes = Probes::load(config);
  if (!probes) return probes.take_error();
  return (*probes)->walker();
}

Result<const CapturePath*> try_load(const std::string& capture) {
  ProbeConfig config;
  config.capture = capture;
  config.pids = {static_cast<std::uint32_t>(::getpid())};
  config.ring_bytes = 65536;
  auto probes = Probes::load(config);
  if (!probes) return probes.take_error();
  TRY((*probes)->attach());
  return &(*probes)->path();
}

}  // namespace srvprof
