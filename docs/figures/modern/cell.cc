// A cell of 802.11n, ac or ax in ns-3, for docs/models/wifi-mac.md: stations on a circle of 5 m exchange
// packets with the node in the middle, with one MCS and best effort. Prints the goodput after --warmup in
// Mb/s.
#include <iostream>

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/wifi-module.h"

using namespace ns3;

int main(int argc, char** argv) {
  uint32_t stations = 1, seed = 1, mcs = 9, width = 80, streams = 1, guard = 400, bytes = 65535;
  double seconds = 3, warmup = 1, offered = 700;
  bool udp = false, down = false;
  std::string standard = "ac";
  CommandLine cmd;
  cmd.AddValue("standard", "n, ac or ax", standard);
  cmd.AddValue("stations", "number of stations", stations);
  cmd.AddValue("mcs", "index of modulation and coding, from 0 for each number of streams", mcs);
  cmd.AddValue("width", "width of the channel in MHz", width);
  cmd.AddValue("streams", "number of spatial streams", streams);
  cmd.AddValue("guard", "guard interval in ns", guard);
  cmd.AddValue("bytes", "maximum length of an A-MPDU", bytes);
  cmd.AddValue("udp", "UDP instead of TCP", udp);
  cmd.AddValue("down", "from the node in the middle", down);
  cmd.AddValue("offered", "rate of all UDP flows together in Mb/s", offered);
  cmd.AddValue("seconds", "simulated time", seconds);
  cmd.AddValue("warmup", "time that does not count", warmup);
  cmd.AddValue("seed", "run number", seed);
  cmd.Parse(argc, argv);
  RngSeedManager::SetRun(seed);
  Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
  Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(2));
  Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(6 << 20));
  Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(6 << 20));

  NodeContainer nodes;
  nodes.Create(stations + 1);
  YansWifiChannelHelper channel;
  channel.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
  channel.AddPropagationLoss("ns3::LogDistancePropagationLossModel", "Exponent", DoubleValue(3.5),
                             "ReferenceLoss", DoubleValue(46.67));
  YansWifiPhyHelper phy;
  phy.SetChannel(channel.Create());
  phy.Set("TxPowerStart", DoubleValue(18));
  phy.Set("TxPowerEnd", DoubleValue(18));
  phy.Set("Antennas", UintegerValue(streams));
  phy.Set("MaxSupportedTxSpatialStreams", UintegerValue(streams));
  phy.Set("MaxSupportedRxSpatialStreams", UintegerValue(streams));
  phy.Set("ChannelSettings", StringValue("{0, " + std::to_string(width) + ", BAND_5GHZ, 0}"));
  WifiHelper wifi;
  std::string mode;
  if (standard == "n") {
    wifi.SetStandard(WIFI_STANDARD_80211n);
    mode = "HtMcs" + std::to_string(mcs + 8 * (streams - 1));
  } else if (standard == "ac") {
    wifi.SetStandard(WIFI_STANDARD_80211ac);
    mode = "VhtMcs" + std::to_string(mcs);
  } else {
    wifi.SetStandard(WIFI_STANDARD_80211ax);
    mode = "HeMcs" + std::to_string(mcs);
  }
  wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager", "DataMode", StringValue(mode),
                               "ControlMode", StringValue("OfdmRate24Mbps"));
  WifiMacHelper mac;
  mac.SetType("ns3::AdhocWifiMac", "BE_MaxAmpduSize", UintegerValue(bytes));
  NetDeviceContainer devices = wifi.Install(phy, mac, nodes);
  for (uint32_t i = 0; i < devices.GetN(); ++i) {
    auto device = DynamicCast<WifiNetDevice>(devices.Get(i));
    if (auto ht = device->GetHtConfiguration()) ht->SetShortGuardIntervalSupported(guard == 400);
    if (auto he = device->GetHeConfiguration()) {
      he->SetGuardInterval(NanoSeconds(guard));
      he->SetMpduBufferSize(256);
    }
  }

  MobilityHelper mobility;
  auto places = CreateObject<ListPositionAllocator>();
  places->Add(Vector(0, 0, 0));
  for (uint32_t i = 0; i < stations; ++i) {
    double angle = 2 * M_PI * i / stations;
    places->Add(Vector(5 * std::cos(angle), 5 * std::sin(angle), 0));
  }
  mobility.SetPositionAllocator(places);
  mobility.SetMobilityModel("ns3::ConstantPositionMobilityModel");
  mobility.Install(nodes);
  InternetStackHelper internet;
  internet.Install(nodes);
  Ipv4AddressHelper address;
  address.SetBase("10.0.0.0", "255.255.0.0");
  Ipv4InterfaceContainer interfaces = address.Assign(devices);

  std::string transport = udp ? "ns3::UdpSocketFactory" : "ns3::TcpSocketFactory";
  PacketSinkHelper receivers(transport, InetSocketAddress(Ipv4Address::GetAny(), 5000));
  ApplicationContainer sinks = receivers.Install(nodes);
  for (uint32_t i = 1; i <= stations; ++i) {
    Ptr<Node> from = nodes.Get(down ? 0 : i);
    InetSocketAddress to(interfaces.GetAddress(down ? i : 0), 5000);
    if (udp) {
      OnOffHelper constant(transport, to);
      constant.SetConstantRate(DataRate(uint64_t(offered * 1e6 / stations)), 1472);
      constant.Install(from).Start(MicroSeconds(100 * i));
    } else {
      BulkSendHelper(transport, to).Install(from).Start(MicroSeconds(100 * i));
    }
  }
  auto received = [&] {
    uint64_t total = 0;
    for (uint32_t i = 0; i < sinks.GetN(); ++i) {
      total += DynamicCast<PacketSink>(sinks.Get(i))->GetTotalRx();
    }
    return total;
  };
  uint64_t before = 0;
  Simulator::Schedule(Seconds(warmup), [&] { before = received(); });
  Simulator::Stop(Seconds(seconds));
  Simulator::Run();
  std::cout << (received() - before) * 8.0 / (seconds - warmup) / 1e6 << std::endl;
  Simulator::Destroy();
}
