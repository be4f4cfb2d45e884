// Goodput of one endless transfer over a lossy link, in ns-3 (3.37 as Debian has it).
//
//   goodput --tcp=TcpCubic --rtt=80 --loss=0.01 --seed=1 --seconds=200
//
// A 10 Mb/s link with a queue of 100 packets and half the round-trip time each way; losses are
// at the receiving device, so that a lost packet takes the transmitter's time. An ACK per
// segment, SACK, PRR and limited transmit as ns-3 has them by default; minimum timeout 200 ms,
// initial window 2, to be like the ns-2 scenario beside it. No timestamps: with them a segment of
// 1460 bytes does not fit 1500, and each would go as two fragments that are lost one by one.
// Prints: name, round-trip time, loss probability, seed, goodput in bit/s.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <iostream>

using namespace ns3;

int
main(int argc, char* argv[])
{
    std::string tcp = "TcpNewReno";
    double rtt = 80;
    double loss = 0;
    uint32_t seed = 1;
    double seconds = 200;
    CommandLine cmd;
    cmd.AddValue("tcp", "congestion law", tcp);
    cmd.AddValue("rtt", "round-trip time in ms", rtt);
    cmd.AddValue("loss", "packet loss probability", loss);
    cmd.AddValue("seed", "run number", seed);
    cmd.AddValue("seconds", "simulated seconds", seconds);
    cmd.Parse(argc, argv);
    RngSeedManager::SetRun(seed);

    const std::string name = tcp;
    if (tcp == "TcpWestwoodPlus")
    {
        tcp = "TcpWestwood";
        Config::SetDefault("ns3::TcpWestwood::ProtocolType", EnumValue(TcpWestwood::WESTWOODPLUS));
    }
    // Linux's reference path.
    Config::SetDefault("ns3::TcpHybla::RRTT", TimeValue(MilliSeconds(25)));
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TypeId::LookupByName("ns3::" + tcp)));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1460));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(1 << 24));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(1 << 24));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(200)));
    Config::SetDefault("ns3::TcpSocketBase::ClockGranularity", TimeValue(MilliSeconds(10)));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));

    NodeContainer nodes;
    nodes.Create(2);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("10Mbps"));
    link.SetChannelAttribute("Delay", TimeValue(Seconds(rtt / 2000)));
    link.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue("100p"));
    NetDeviceContainer devices = link.Install(nodes);
    InternetStackHelper().Install(nodes);
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    Ipv4InterfaceContainer interfaces = addresses.Assign(devices);
    // InternetStackHelper puts a queue discipline on each device: the device's queue is to be the only one.
    TrafficControlHelper().Uninstall(devices);

    if (loss > 0)
    {
        Ptr<RateErrorModel> errors = CreateObject<RateErrorModel>();
        errors->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
        errors->SetRate(loss);
        devices.Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(errors));
    }

    PacketSinkHelper sinks("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), 9));
    ApplicationContainer sink = sinks.Install(nodes.Get(1));
    BulkSendHelper bulk("ns3::TcpSocketFactory", InetSocketAddress(interfaces.GetAddress(1), 9));
    bulk.Install(nodes.Get(0)).Start(Seconds(0));
    Simulator::Stop(Seconds(seconds));
    Simulator::Run();
    const double bits = 8.0 * DynamicCast<PacketSink>(sink.Get(0))->GetTotalRx();
    std::cout << name << ',' << rtt << ',' << loss << ',' << seed << ',' << std::fixed
              << static_cast<uint64_t>(bits / seconds) << '\n';
    Simulator::Destroy();
    return 0;
}
