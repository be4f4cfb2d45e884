// A cell of 802.11n, ac or ax in ns-3, for docs/models/wifi-mac.md and benches/peers: stations on a circle
// of 5 m exchange packets with the node in the middle, with one MCS and best effort. Prints the goodput after
// --warmup in Mb/s, and the least and the largest of the flows; with --cpu also the processor time of the run
// in s; with --exchanges first each PPDU after --warmup.
#include <algorithm>
#include <ctime>
#include <iostream>
#include <map>

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/wifi-module.h"

using namespace ns3;

namespace {

double g_warmup = 1;

void OnPpdu(std::string node, WifiConstPsduMap psdus, WifiTxVector vector, double) {
  if (Simulator::Now() < Seconds(g_warmup)) return;
  Ptr<const WifiPsdu> psdu = psdus.begin()->second;
  Time duration = WifiPhy::CalculateTxDuration(psdus, vector, WIFI_PHY_BAND_5GHZ);
  std::cout << Simulator::Now().GetNanoSeconds() / 1e3 << " us " << node << ": "
            << psdu->GetHeader(0).GetTypeString() << ", MPDUs: " << psdu->GetNMpdus() << ", B: " << psdu->GetSize()
            << ", us: " << duration.GetNanoSeconds() / 1e3 << std::endl;
}

}  // namespace

int main(int argc, char** argv) {
  uint32_t stations = 1, seed = 1, mcs = 9, width = 80, streams = 1, guard = 400, bytes = 65535;
  double seconds = 3, offered = 700;
  bool udp = false, up = false, down = false, hidden = false, slow = false, cpu = false, exchanges = false;
  uint32_t rts = 4692480;
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
  cmd.AddValue("up", "to the node in the middle", up);
  cmd.AddValue("down", "from the node in the middle", down);
  cmd.AddValue("rts", "RTS and CTS precede PPDUs longer than this, in bytes", rts);
  cmd.AddValue("hidden", "stations do not hear each other, and the node in the middle hears all alike", hidden);
  cmd.AddValue("slow", "the first station has MCS 0", slow);
  cmd.AddValue("cpu", "print the processor time", cpu);
  cmd.AddValue("exchanges", "print each PPDU", exchanges);
  cmd.AddValue("offered", "rate of all UDP flows together in Mb/s", offered);
  cmd.AddValue("seconds", "simulated time", seconds);
  cmd.AddValue("warmup", "time that does not count", g_warmup);
  cmd.AddValue("seed", "run number", seed);
  cmd.Parse(argc, argv);
  RngSeedManager::SetRun(seed);
  // By default, packets expire after 500 ms in the queue. If they were sent before, a BlockAckReq follows.
  Config::SetDefault("ns3::WifiMacQueue::MaxDelay", TimeValue(Seconds(10)));
  // Without this, RTS precedes every PPDU of more than 65535 B.
  Config::SetDefault("ns3::WifiRemoteStationManager::RtsCtsThreshold", UintegerValue(rts));
  Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
  Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(2));
  Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(6 << 20));
  Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(6 << 20));

  NodeContainer nodes;
  nodes.Create(stations + 1);
  YansWifiChannelHelper channel;
  channel.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
  if (!hidden) {
    channel.AddPropagationLoss("ns3::LogDistancePropagationLossModel", "Exponent", DoubleValue(3.5),
                               "ReferenceLoss", DoubleValue(46.67));
  }
  Ptr<YansWifiChannel> medium = channel.Create();
  YansWifiPhyHelper phy;
  phy.SetChannel(medium);
  phy.Set("TxPowerStart", DoubleValue(18));
  phy.Set("TxPowerEnd", DoubleValue(18));
  phy.Set("Antennas", UintegerValue(streams));
  phy.Set("MaxSupportedTxSpatialStreams", UintegerValue(streams));
  phy.Set("MaxSupportedRxSpatialStreams", UintegerValue(streams));
  phy.Set("ChannelSettings", StringValue("{0, " + std::to_string(width) + ", BAND_5GHZ, 0}"));
  WifiHelper wifi;
  std::string family, mode;
  if (standard == "n") {
    wifi.SetStandard(WIFI_STANDARD_80211n);
    family = "HtMcs";
  } else if (standard == "ac") {
    wifi.SetStandard(WIFI_STANDARD_80211ac);
    family = "VhtMcs";
  } else {
    wifi.SetStandard(WIFI_STANDARD_80211ax);
    family = "HeMcs";
  }
  WifiMacHelper mac;
  mac.SetType("ns3::AdhocWifiMac", "BE_MaxAmpduSize", UintegerValue(bytes));
  NetDeviceContainer devices;
  for (uint32_t i = 0; i < nodes.GetN(); ++i) {
    uint32_t index = slow && i == 1 ? 0 : mcs;
    mode = family + std::to_string(standard == "n" ? index + 8 * (streams - 1) : index);
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager", "DataMode", StringValue(mode),
                                 "ControlMode", StringValue("OfdmRate24Mbps"));
    devices.Add(wifi.Install(phy, mac, nodes.Get(i)));
  }
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
  if (hidden) {
    auto losses = CreateObject<MatrixPropagationLossModel>();
    losses->SetDefaultLoss(300);
    for (uint32_t i = 1; i <= stations; ++i) {
      losses->SetLoss(nodes.Get(0)->GetObject<MobilityModel>(), nodes.Get(i)->GetObject<MobilityModel>(), 60);
    }
    medium->SetPropagationLossModel(losses);
  }
  InternetStackHelper internet;
  internet.Install(nodes);
  Ipv4AddressHelper address;
  address.SetBase("10.0.0.0", "255.255.0.0");
  Ipv4InterfaceContainer interfaces = address.Assign(devices);
  // Broadcasts have one attempt: stations whose ARP requests collide would send nothing.
  NeighborCacheHelper().PopulateNeighborCache();

  std::string transport = udp ? "ns3::UdpSocketFactory" : "ns3::TcpSocketFactory";
  PacketSinkHelper receivers(transport, InetSocketAddress(Ipv4Address::GetAny(), 5000));
  ApplicationContainer sinks = receivers.Install(nodes);
  auto start = [&](uint32_t from, uint32_t to, uint32_t order) {
    InetSocketAddress address(interfaces.GetAddress(to), 5000);
    if (udp) {
      OnOffHelper constant(transport, address);
      constant.SetConstantRate(DataRate(uint64_t(offered * 1e6 / stations)), 1472);
      constant.Install(nodes.Get(from)).Start(MicroSeconds(100 * order));
    } else {
      BulkSendHelper(transport, address).Install(nodes.Get(from)).Start(MicroSeconds(100 * order));
    }
  };
  for (uint32_t i = 1; i <= stations; ++i) {
    if (up || !down) start(i, 0, i);
    if (down) start(0, i, i);
  }
  // The node in the middle counts each sender by itself; every station receives one flow.
  std::map<Address, uint64_t> received;
  for (uint32_t i = 0; i <= stations; ++i) {
    sinks.Get(i)->TraceConnectWithoutContext(
        "Rx", Callback<void, Ptr<const Packet>, const Address&>([&received, i](auto packet, const Address& from) {
          if (Simulator::Now() < Seconds(g_warmup)) return;
          Address flow = i > 0 ? Address(Mac8Address(uint8_t(i))) : Address(InetSocketAddress::ConvertFrom(from).GetIpv4());
          received[flow] += packet->GetSize();
        }));
  }
  if (exchanges) {
    for (uint32_t i = 0; i < devices.GetN(); ++i) {
      DynamicCast<WifiNetDevice>(devices.Get(i))->GetPhy()->TraceConnect(
          "PhyTxPsduBegin", "node " + std::to_string(i), MakeCallback(&OnPpdu));
    }
  }
  Simulator::Stop(Seconds(seconds));
  std::clock_t begin = std::clock();
  Simulator::Run();
  double taken = double(std::clock() - begin) / CLOCKS_PER_SEC;
  uint64_t total = 0, least = UINT64_MAX, most = 0;
  for (const auto& flow : received) {
    total += flow.second;
    least = std::min(least, flow.second);
    most = std::max(most, flow.second);
  }
  if (received.size() < stations) least = 0;
  double scale = 8 / (seconds - g_warmup) / 1e6;
  std::cout << total * scale << "," << least * scale << "," << most * scale;
  if (cpu) std::cout << "," << taken;
  std::cout << std::endl;
  Simulator::Destroy();
}
