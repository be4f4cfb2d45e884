// Queue disciplines under TCP in ns-3 (3.37 as Debian has it).
//
//   aqm --disc=CoDel --tcp=TcpNewReno --flows=1 --rtt=80 --ecn=0 --seconds=60
//
// Senders behind links of 1 Gb/s, a link of 10 Mb/s with half the round trip each way; the discipline is in
// front of a device queue of one packet. SACK, an ACK per segment, initial window 10, no timestamps.
// Prints: discipline, tcp, flows, round trip, ecn, goodput of all in bit/s after the first 10 s, packets dropped and
// marked by the discipline, mean packets in it.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <iostream>

using namespace ns3;

namespace
{
double g_area = 0;
double g_last = 0;
uint32_t g_now = 0;

void
OnLength(uint32_t, uint32_t length)
{
    const double now = Simulator::Now().GetSeconds();
    g_area += g_now * (now - g_last);
    g_last = now;
    g_now = length;
}
} // namespace

int
main(int argc, char* argv[])
{
    std::string disc = "CoDel";
    std::string tcp = "TcpNewReno";
    uint32_t flows = 1;
    double rtt = 80;
    bool ecn = false;
    double seconds = 60;
    CommandLine cmd;
    cmd.AddValue("disc", "CoDel, FqCoDel, Pie or Fifo", disc);
    cmd.AddValue("tcp", "congestion law", tcp);
    cmd.AddValue("flows", "number of flows", flows);
    cmd.AddValue("rtt", "round-trip time in ms", rtt);
    cmd.AddValue("ecn", "mark", ecn);
    cmd.AddValue("seconds", "simulated seconds", seconds);
    cmd.Parse(argc, argv);

    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TypeId::LookupByName("ns3::" + tcp)));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1460));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(1 << 24));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(1 << 24));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(200)));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    if (ecn)
    {
        Config::SetDefault("ns3::TcpSocketBase::UseEcn", StringValue("On"));
    }
    Config::SetDefault("ns3::CoDelQueueDisc::UseEcn", BooleanValue(ecn));
    Config::SetDefault("ns3::FqCoDelQueueDisc::UseEcn", BooleanValue(ecn));
    Config::SetDefault("ns3::PieQueueDisc::UseEcn", BooleanValue(ecn));
    Config::SetDefault("ns3::PieQueueDisc::UseDequeueRateEstimator", BooleanValue(false));
    Config::SetDefault("ns3::PieQueueDisc::UseDerandomization", BooleanValue(true));
    Config::SetDefault("ns3::PieQueueDisc::UseCapDropAdjustment", BooleanValue(true));
    Config::SetDefault("ns3::PieQueueDisc::MeanPktSize", UintegerValue(1024));
    for (const char* name : {"CoDel", "Pie", "Fifo"})
    {
        Config::SetDefault(std::string("ns3::") + name + "QueueDisc::MaxSize", QueueSizeValue(QueueSize("1000p")));
    }

    NodeContainer ends;
    ends.Create(2);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("10Mbps"));
    link.SetChannelAttribute("Delay", TimeValue(Seconds(rtt / 2000)));
    link.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue("1p"));
    NetDeviceContainer devices = link.Install(ends);
    PointToPointHelper edge;
    edge.SetDeviceAttribute("DataRate", StringValue("1Gbps"));
    NodeContainer senders;
    senders.Create(flows);
    InternetStackHelper stack;
    stack.Install(ends);
    stack.Install(senders);
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    TrafficControlHelper control;
    control.SetRootQueueDisc("ns3::" + disc + "QueueDisc");
    QueueDiscContainer discs = control.Install(devices.Get(0));
    Ipv4InterfaceContainer interfaces = addresses.Assign(devices);
    TrafficControlHelper().Uninstall(devices.Get(1));
    PacketSinkHelper sinks("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), 9));
    ApplicationContainer sink = sinks.Install(ends.Get(1));
    for (uint32_t i = 0; i < flows; i++)
    {
        addresses.NewNetwork();
        NetDeviceContainer pair = edge.Install(senders.Get(i), ends.Get(0));
        addresses.Assign(pair);
        TrafficControlHelper().Uninstall(pair);
        BulkSendHelper bulk("ns3::TcpSocketFactory", InetSocketAddress(interfaces.GetAddress(1), 9));
        bulk.Install(senders.Get(i)).Start(Seconds(0.1 * i));
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    discs.Get(0)->TraceConnectWithoutContext("PacketsInQueue", MakeCallback(&OnLength));

    uint64_t before = 0;
    QueueDisc::Stats then;
    Simulator::Schedule(Seconds(10), [&] {
        before = DynamicCast<PacketSink>(sink.Get(0))->GetTotalRx();
        then = discs.Get(0)->GetStats();
        OnLength(0, g_now);
        g_area = 0;
    });
    Simulator::Stop(Seconds(seconds));
    Simulator::Run();
    OnLength(0, g_now);
    const uint64_t received = DynamicCast<PacketSink>(sink.Get(0))->GetTotalRx() - before;
    const QueueDisc::Stats stats = discs.Get(0)->GetStats();
    std::cout << disc << ',' << tcp << ',' << flows << ',' << rtt << ',' << ecn << ',' << std::fixed
              << static_cast<uint64_t>(8.0 * received / (seconds - 10)) << ','
              << stats.nTotalDroppedPackets - then.nTotalDroppedPackets << ','
              << stats.nTotalMarkedPackets - then.nTotalMarkedPackets << ',' << g_area / (seconds - 10) << '\n';
    Simulator::Destroy();
    return 0;
}
