// What /proc and cgroup files say: the kernel writes them, with names that the target has chosen.
#include "fuzz.h"
#include "target/cgroup.h"
#include "target/maps.h"
#include "target/mountinfo.h"
#include "target/net_table.h"
#include "target/stat.h"

using namespace srvprof;

SRVPROF_FUZZ(input) {
  const std::string_view text = fuzz::text_of(input);
  const auto maps = parse_maps(text);
  for (std::size_t i = 0; i < maps.size(); ++i) {
    fuzz::require(maps[i].start < maps[i].end && (i == 0 || maps[i - 1].end <= maps[i].start));
    fuzz::require(find_mapping(maps, maps[i].start) == &maps[i]);
  }
  (void)parse_proc_stat(text);
  (void)parse_proc_status(text);
  (void)parse_schedstat(text);
  (void)parse_statm_resident(text);
  (void)parse_cmdline(text);
  fuzz::require(parse_cpu_list(text).size() <= 1 << 16);
  (void)parse_inet_table(text);
  (void)parse_unix_table(text);
  (void)parse_cpu_max(text);
  (void)parse_cpu_stat(text);
  for (const Mount& mount : parse_mountinfo(text)) (void)cgroup_directory(mount, text);
  (void)cgroup_path(parse_proc_cgroup(text), "cpu");
}
