// S3's star in ns-3, for benches/peers: stations on a circle of 5 m that upload to their access
// point over 802.11a with TCP. Prints goodput in Mb/s and the processor time of the run. With
// --count it also prints the number of data frames sent and of data frames that their destination
// decoded; the first --warmup seconds are not counted. With --udp every station sends 536 B to the
// access point, together 200 Mb/s, more than the cell can carry.
#include <ctime>
#include <iostream>

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/wifi-module.h"

using namespace ns3;

namespace {

uint64_t g_sent = 0, g_decoded = 0;
double g_warmup = 0;

bool IsData(Ptr<const Packet> packet, WifiMacHeader& header) {
  packet->PeekHeader(header);
  return header.IsData() && Simulator::Now() >= Seconds(g_warmup);
}

void OnSent(Ptr<const Packet> packet, double) {
  WifiMacHeader header;
  g_sent += IsData(packet, header) && !header.GetAddr1().IsGroup();
}

void OnDecoded(Address own, Ptr<const Packet> packet, uint16_t, WifiTxVector, MpduInfo,
               SignalNoiseDbm, uint16_t) {
  WifiMacHeader header;
  g_decoded += IsData(packet, header) && header.GetAddr1() == Mac48Address::ConvertFrom(own);
}

void Count(Ptr<NetDevice> device) {
  Ptr<WifiPhy> phy = DynamicCast<WifiNetDevice>(device)->GetPhy();
  phy->TraceConnectWithoutContext("PhyTxBegin", MakeCallback(&OnSent));
  phy->TraceConnectWithoutContext("MonitorSnifferRx",
                                  MakeBoundCallback(&OnDecoded, device->GetAddress()));
}

}  // namespace

int main(int argc, char** argv) {
  uint32_t stations = 6, seed = 1;
  double seconds = 30;
  bool count = false, udp = false;
  CommandLine cmd;
  cmd.AddValue("stations", "number of stations", stations);
  cmd.AddValue("seconds", "simulated time", seconds);
  cmd.AddValue("seed", "run number", seed);
  cmd.AddValue("count", "count data frames", count);
  cmd.AddValue("udp", "saturate the stations with UDP", udp);
  cmd.AddValue("warmup", "time in which frames are not counted", g_warmup);
  cmd.Parse(argc, argv);
  RngSeedManager::SetRun(seed);
  Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(536));
  Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
  Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));

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
  WifiHelper wifi;
  wifi.SetStandard(WIFI_STANDARD_80211a);
  wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager", "DataMode", StringValue("OfdmRate54Mbps"),
                               "ControlMode", StringValue("OfdmRate6Mbps"));
  WifiMacHelper mac;
  mac.SetType("ns3::AdhocWifiMac");
  NetDeviceContainer devices = wifi.Install(phy, mac, nodes);

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
  PacketSinkHelper sinks(transport, InetSocketAddress(Ipv4Address::GetAny(), 5000));
  ApplicationContainer sink = sinks.Install(nodes.Get(0));
  for (uint32_t i = 1; i <= stations; ++i) {
    InetSocketAddress to(interfaces.GetAddress(0), 5000);
    if (udp) {
      OnOffHelper constant(transport, to);
      constant.SetConstantRate(DataRate(200000000 / stations), 536);
      constant.Install(nodes.Get(i)).Start(MicroSeconds(100 * i));
    } else {
      BulkSendHelper(transport, to).Install(nodes.Get(i)).Start(Seconds(0));
    }
  }
  if (count) {
    for (uint32_t i = 0; i < devices.GetN(); ++i) Count(devices.Get(i));
  }
  Simulator::Stop(Seconds(seconds));
  std::clock_t begin = std::clock();
  Simulator::Run();
  double cpu = double(std::clock() - begin) / CLOCKS_PER_SEC;
  double bits = DynamicCast<PacketSink>(sink.Get(0))->GetTotalRx() * 8.0;
  std::cout << bits / seconds / 1e6 << "," << cpu;
  if (count) std::cout << "," << g_sent << "," << g_decoded;
  std::cout << std::endl;
  Simulator::Destroy();
}
