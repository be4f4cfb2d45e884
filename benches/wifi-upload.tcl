# A saturated upload over 802.11b, from one station to a server behind its access point, for benches/peers.
#
#   ns wifi-upload.tcl SECONDS
#
# Frames and MAC ACKs at 11 Mb/s, preambles at 1 Mb/s, no RTS; a wire of 100 Mb/s and 5 ms. SACK with segments of 1460 B,
# a window of 100 segments and an ACK for each segment, as in the TCP profile s0. The upload begins at 5 s, when DSDV has
# found the access point. Prints the segments acknowledged after SECONDS more.

set seconds [lindex $argv 0]
set start 5

Mac/802_11 set dataRate_ 11Mb
Mac/802_11 set basicRate_ 11Mb
Mac/802_11 set PLCPDataRate_ 1Mb
Mac/802_11 set RTSThreshold_ 3000

set ns [new Simulator]
# ns-2 writes a trace of wireless nodes in any case.
$ns trace-all [open /dev/null w]
$ns node-config -addressType hierarchical
AddrParams set domain_num_ 2
AddrParams set cluster_num_ {1 1}
AddrParams set nodes_num_ {1 2}
set server [$ns node 0.0.0]
set topo [new Topography]
$topo load_flatgrid 100 100
create-god 2
$ns node-config -adhocRouting DSDV -llType LL -macType Mac/802_11 -ifqType Queue/DropTail \
  -ifqLen 100 -antType Antenna/OmniAntenna -propType Propagation/TwoRayGround \
  -phyType Phy/WirelessPhy -topoInstance $topo -wiredRouting ON -agentTrace OFF -routerTrace OFF \
  -macTrace OFF -movementTrace OFF -channel [new Channel/WirelessChannel]
set base [$ns node 1.0.0]
$ns node-config -wiredRouting OFF
set station [$ns node 1.0.1]
foreach {node x} [list $base 50 $station 55] {
  $node random-motion 0
  $node set X_ $x
  $node set Y_ 50.0
  $node set Z_ 0.0
}
$station base-station [AddrParams addr2id [$base node-addr]]
$ns duplex-link $server $base 100Mb 5ms DropTail
$ns queue-limit $server $base 1000
$ns queue-limit $base $server 1000

Agent/TCP set packetSize_ 1460
Agent/TCP set window_ 100
set tcp [new Agent/TCP/Sack1]
set sink [new Agent/TCPSink/Sack1]
$ns attach-agent $station $tcp
$ns attach-agent $server $sink
$ns connect $tcp $sink
set ftp [new Application/FTP]
$ftp attach-agent $tcp
proc finish {} {
  global tcp
  puts "segments [$tcp set ack_]"
  exit 0
}
$ns at $start "$ftp start"
$ns at [expr {$start + $seconds}] finish
$ns run
