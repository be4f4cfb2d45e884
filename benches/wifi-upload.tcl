# A saturated upload from one station to its access point over 802.11b, for benches/peers.
#
#   ns wifi-upload.tcl SECONDS
#
# Frames and MAC ACKs at 11 Mb/s, preambles at 1 Mb/s, no RTS. SACK with segments of 1460 B, a window of 100 segments
# and an ACK for each segment, as in the TCP profile s0. Prints the segments acknowledged.

set seconds [lindex $argv 0]

Mac/802_11 set dataRate_ 11Mb
Mac/802_11 set basicRate_ 11Mb
Mac/802_11 set PLCPDataRate_ 1Mb
Mac/802_11 set RTSThreshold_ 3000

set ns [new Simulator]
# ns-2 writes a trace of wireless nodes in any case.
$ns trace-all [open /dev/null w]
set topo [new Topography]
$topo load_flatgrid 100 100
create-god 2
# Without a routing protocol, nodes reach their neighbours.
$ns node-config -adhocRouting DumbAgent -llType LL -macType Mac/802_11 -ifqType Queue/DropTail \
  -ifqLen 100 -antType Antenna/OmniAntenna -propType Propagation/TwoRayGround \
  -phyType Phy/WirelessPhy -topoInstance $topo -agentTrace OFF -routerTrace OFF -macTrace OFF \
  -movementTrace OFF -channel [new Channel/WirelessChannel]
set base [$ns node]
set station [$ns node]
foreach {node x} [list $base 50 $station 55] {
  $node random-motion 0
  $node set X_ $x
  $node set Y_ 50.0
  $node set Z_ 0.0
}

Agent/TCP set packetSize_ 1460
Agent/TCP set window_ 100
set tcp [new Agent/TCP/Sack1]
set sink [new Agent/TCPSink/Sack1]
$ns attach-agent $station $tcp
$ns attach-agent $base $sink
$ns connect $tcp $sink
set ftp [new Application/FTP]
$ftp attach-agent $tcp
$ns at 0.0 "$ftp start"
proc finish {} {
  global tcp
  puts "segments [$tcp set ack_]"
  exit 0
}
$ns at $seconds finish
$ns run
