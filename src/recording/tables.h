// The tables by number, name and row type: lists that follow from rows::All.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "recording/rows.h"

namespace srvprof {

// Every row type once more, for explicit instantiations; checked against rows::All in tables.cc.
#define SRVPROF_EACH_ROW(X)                                                                     \
  X(Meta)                                                                                       \
  X(Clock) X(Process) X(Task) X(TaskExit) X(Conn) X(ConnClose) X(Request) X(Exchange) X(Mark)   \
      X(OffCpu) X(Slice) X(Migrate) X(Sample) X(Stack) X(Frame) X(Mapping) X(CpuUse) X(Loss)    \
          X(Capability) X(OwnCost) X(Governor) X(Counter) X(PhaseMark) X(Listener) X(CgroupCpu) \
              X(Signal) X(Freeze) X(ThreadState) X(Unsampled) X(Irq) X(End) X(Load) X(Span)   \
                  X(ClientConn) X(ClientExchange) X(ClientOff)

inline constexpr std::size_t kTableCount = std::tuple_size_v<rows::All>;

// Names in the text form, in the order of rows::All (table number - 1).
inline constexpr std::array<std::string_view, kTableCount> kTableNames = {
    "meta",         "clock",     "process",    "task",     "task_exit",  "conn",       "conn_close",
    "request",      "exchange",  "mark",       "off_cpu",  "slice",      "migrate",    "sample",
    "stack",        "frame",     "mapping",    "cpu_use",  "loss",       "capability", "own_cost",
    "governor",     "counter",   "phase_mark", "listener", "cgroup_cpu", "signal",     "freeze",
    "thread_state", "unsampled", "irq",        "end",      "load",     "span",
    "client_conn",  "client_exchange", "client_off"};

// Index of a table in rows::All and kTableNames. Precondition: is_known_table.
constexpr std::size_t table_index(Table table) { return static_cast<std::size_t>(table) - 1; }
constexpr bool is_known_table(unsigned number) { return number >= 1 && number <= kTableCount; }
constexpr std::string_view table_name(Table table) { return kTableNames[table_index(table)]; }

// Calls f(std::type_identity<Row>{}) for the row type of `table`; false if the number is unknown.
template <class F>
bool with_row_type(Table table, F&& f) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return ((static_cast<std::size_t>(table) == I + 1
                 ? (f(std::type_identity<std::tuple_element_t<I, rows::All>>{}), true)
                 : false) ||
            ...);
  }
  (std::make_index_sequence<kTableCount>{});
}

// Calls f(index, field) for each column of Row, in the order of the file.
template <class Row, class F>
constexpr void for_each_field(F&& f) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (f(std::integral_constant<std::size_t, I>{}, std::get<I>(Row::fields)), ...);
  }
  (std::make_index_sequence<std::tuple_size_v<decltype(Row::fields)>>{});
}

}  // namespace srvprof
