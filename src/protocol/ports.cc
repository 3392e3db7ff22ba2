// Downstreams by port, for those protocols that are only named, never recognised.
#include <algorithm>

#include "protocol/protocol.h"

namespace srvprof {
namespace {

struct Service {
  std::uint16_t port;
  std::string_view name;
};

// Registered or customary ports of what servers talk to.
constexpr Service kServices[] = {
    {25, "SMTP"},         {53, "DNS"},         {80, "HTTP"},         {389, "LDAP"},
    {587, "SMTP"},        {636, "LDAP"},       {1433, "SQL Server"}, {1521, "Oracle"},
    {2181, "ZooKeeper"},  {2379, "etcd"},      {3306, "MySQL"},      {4222, "NATS"},
    {5672, "RabbitMQ"},   {8080, "HTTP"},      {8123, "ClickHouse"}, {8125, "StatsD"},
    {8500, "Consul"},     {9042, "Cassandra"}, {9092, "Kafka"},      {9200, "Elasticsearch"},
    {11211, "memcached"}, {27017, "MongoDB"},
};

}  // namespace

std::string_view service_of_port(std::uint16_t port) {
  if (port == 0) return {};
  for (const Protocol& protocol : protocols()) {
    const auto& ports = protocol.ports;
    if (std::find(ports.begin(), ports.end(), port) != ports.end()) return protocol.title;
  }
  for (const Service& service : kServices) {
    if (service.port == port) return service.name;
  }
  return {};
}

std::string_view downstream_name(std::uint16_t port, std::string_view first) {
  if (const Protocol* protocol = recognise_protocol(first)) return protocol->title;
  return service_of_port(port);
}

}  // namespace srvprof
