# An upload over 802.11b through a RED queue in the station, in ns-2.
#
#   ns red-cell.tcl RTT_MS ECN WAIT ACTIVE SEED SECONDS [WINDOW [ATTEMPTS [TICK_S]]]
#
# S0's cell: 11 Mb/s, MAC ACKs at 11 Mb/s, preambles at 1 Mb/s, no RTS, a wire of 100 Mb/s with half the round
# trip behind the base station; RED 25 and 90 of 100 packets in packets of 1500 bytes, all gentle. ACTIVE 0 leaves RED as
# ns-2's wireless examples have it: without a call of `reset` its thresholds are 0 and it drops nothing. With ATTEMPTS
# each frame is tried that often, and whatever the base station receives in 250 ms of every 2 s is lost. TICK_S is TCP's
# clock (ns-2's default: 0.01).
# Prints: round trip, ecn, wait, active, window, seed, goodput in bit/s after 5 s, timeouts, packets sent again, answers to ECN.

foreach {rtt ecn wait active seed seconds} $argv break
set window [expr {$argc > 6 ? [lindex $argv 6] : 100}]
set attempts [expr {$argc > 7 ? [lindex $argv 7] : 0}]
if {$argc > 8} { Agent/TCP set tcpTick_ [lindex $argv 8] }

Queue/RED set thresh_ 25
Queue/RED set maxthresh_ 90
Queue/RED set linterm_ 10
Queue/RED set q_weight_ 0.002
Queue/RED set gentle_ true
Queue/RED set wait_ $wait
Queue/RED set setbit_ $ecn
Queue/RED set bytes_ false
Queue/RED set queue_in_bytes_ false
Queue/RED set mean_pktsize_ 1500
Mac/802_11 set dataRate_ 11Mb
Mac/802_11 set basicRate_ 11Mb
Mac/802_11 set PLCPDataRate_ 1Mb
Mac/802_11 set RTSThreshold_ 3000
if {$attempts} { Mac/802_11 set ShortRetryLimit_ $attempts }

$defaultRNG seed $seed
set ns [new Simulator]
# ns-2 writes its wireless trace to a file if it is to trace at all.
$ns trace-all [open /dev/null w]
$ns node-config -addressType hierarchical
AddrParams set domain_num_ 2
AddrParams set cluster_num_ {1 1}
AddrParams set nodes_num_ {1 2}
set server [$ns node 0.0.0]
set topo [new Topography]
$topo load_flatgrid 100 100
create-god 2
$ns node-config -adhocRouting DSDV -llType LL -macType Mac/802_11 -ifqType Queue/RED \
  -ifqLen 100 -antType Antenna/OmniAntenna -propType Propagation/TwoRayGround \
  -phyType Phy/WirelessPhy -topoInstance $topo -wiredRouting ON -agentTrace OFF \
  -routerTrace OFF -macTrace OFF -channel [new Channel/WirelessChannel]
proc errors {} {
  global loss
  set loss [new ErrorModel]
  $loss unit pkt
  $loss set rate_ 0
  return $loss
}
if {$attempts} { $ns node-config -IncomingErrProc errors }
set base [$ns node 1.0.0]
# ns-2 calls IncomingErrProc for the station too: the base station's losses are those of the first call.
if {$attempts} { set hit $loss }
$ns node-config -wiredRouting OFF -IncomingErrProc ""
set station [$ns node 1.0.1]
foreach {node x} [list $base 50 $station 55] {
  $node random-motion 0
  $node set X_ $x
  $node set Y_ 50.0
  $node set Z_ 0.0
}
$station base-station [AddrParams addr2id [$base node-addr]]
$ns duplex-link $server $base 100Mb [expr {$rtt / 2.0}]ms DropTail
$ns queue-limit $server $base 1000
$ns queue-limit $base $server 1000
if {$active} {
  foreach node [list $base $station] { [$node set ifq_(0)] reset }
}

Agent/TCP set packetSize_ 1460
Agent/TCP set window_ $window
Agent/TCP set ecn_ $ecn
set tcp [new Agent/TCP/Sack1]
set sink [new Agent/TCPSink/Sack1]
$ns attach-agent $station $tcp
$ns attach-agent $server $sink
$ns connect $tcp $sink
set ftp [new Application/FTP]
$ftp attach-agent $tcp

# DSDV needs some seconds to find the base station.
set start 5
proc finish {} {
  global tcp rtt ecn wait active window seed seconds
  puts [format "%s,%s,%s,%s,%s,%s,%.0f,%s,%s,%s" $rtt $ecn $wait $active $window $seed \
    [expr {[$tcp set ack_] * 1460 * 8.0 / $seconds}] [$tcp set nrexmit_] [$tcp set nrexmitpack_] \
    [$tcp set necnresponses_]]
  exit 0
}
if {$attempts} {
  set phase [new RandomVariable/Uniform]
  for {set t [expr {$start + 2 * [$phase value]}]} {$t < $start + $seconds} {set t [expr {$t + 2}]} {
    $ns at $t "$hit set rate_ 1"
    $ns at [expr {$t + 0.25}] "$hit set rate_ 0"
  }
}
$ns at $start "$ftp start"
$ns at [expr {$start + $seconds}] finish
$ns run
