// The list of commands: help, completions and "did you mean" follow it.
#include "cli/command.h"

namespace srvprof {

extern const Command kAttachCommand, kRecordCommand, kReportCommand, kRequestsCommand,
    kFlamegraphCommand, kDiffCommand, kExportCommand, kCheckCommand, kMarkCommand, kDumpCommand,
    kDoctorCommand, kListCommand;

namespace {

const Command* const kCommands[] = {
    &kAttachCommand,     &kRecordCommand, &kReportCommand, &kRequestsCommand,
    &kFlamegraphCommand, &kDiffCommand,   &kExportCommand, &kCheckCommand,
    &kMarkCommand,       &kDumpCommand,   &kDoctorCommand, &kListCommand,
};

constexpr Option kCommonOptions[] = {
    {"verbose", 'v', "", "say more; may be repeated", true},
    {"quiet", 'q', "", "results only"},
    {"no-color", 0, "", "no colours; also with NO_COLOR set"},
    {"help", 'h', "", "this text"},
};

}  // namespace

std::span<const Command* const> commands() { return kCommands; }

const Command* find_command(std::string_view name) {
  for (const Command* command : kCommands) {
    if (command->name == name) return command;
  }
  return nullptr;
}

std::span<const Option> common_options() { return kCommonOptions; }

}  // namespace srvprof
