// Options that several commands share, so that they are named and explained once.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace srvprof {

std::vector<std::string> format_names();
inline constexpr Option kOutputOption{
    "output", 'o', "FILE", "where to write; the extension chooses the format, - is stdout"};
inline constexpr Option kForceOption{"force", 0, "", "replace a file that exists"};
inline constexpr Option kFormatOption{"format", 0,           "FORMAT", "see srvprof list formats",
                                      false,    format_names};
inline constexpr Option kJsonOption{"json", 0, "", "the same as --format json"};
inline constexpr Option kRouteOption{"route", 0, "ROUTE",
                                     "only this route: \"GET /health\" or /health"};
inline constexpr Option kPhaseOption{"phase", 0, "NAME",
                                     "only this phase of the load: steady, ..."};
inline constexpr Option kPhasesOption{"phases", 0, "FILE",
                                      "the phases of the load by hand: a begin and a name a line"};
inline constexpr Option kPercentileOption{"percentile", 0, "P",
                                          "above which a request is slow, 50 to 99.99 (99)"};
inline constexpr Option kLoadOption{"load", 0, "FILE",
                                    "what a load generator wrote: joined with the report", true};
inline constexpr Option kStatsOption{"stats", 0, "", "srvprof's own cost in full"};
inline constexpr Option kOnCpuOption{"on-cpu", 0, "", "where the CPU time went (the default)"};
inline constexpr Option kOffCpuOption{"off-cpu", 0, "", "where the threads waited"};
inline constexpr Option kWallOption{"wall", 0, "", "where the requests' time went, on and off CPU"};
inline constexpr Option kTailOption{"tail", 0, "P", "only what requests above this percentile met"};
inline constexpr Option kDiffOption{
    "diff", 0, "body|FILE",
    "slow against ordinary requests, or against another recording: red is more, blue is less"};

}  // namespace srvprof
