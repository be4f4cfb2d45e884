# One endless transfer through a RED queue, in ns-2.
#
#   ns red.tcl RTT_MS GENTLE ECN WAIT SEED SECONDS
#
# 10 Mb/s, half the round trip each way; thresholds 25 and 90 of 100 packets, weight 0.002, highest
# probability 0.1, all in packets of 1500 bytes. Prints: round trip, gentle, ecn, wait, seed, goodput in
# bit/s, timeouts, packets sent again, answers to ECN.

foreach {rtt gentle ecn wait seed seconds} $argv break

Queue/RED set thresh_ 25
Queue/RED set maxthresh_ 90
Queue/RED set linterm_ 10
Queue/RED set q_weight_ 0.002
Queue/RED set gentle_ $gentle
Queue/RED set wait_ $wait
Queue/RED set setbit_ $ecn
# Since October 2004 ns-2 counts bytes by default.
Queue/RED set bytes_ false
Queue/RED set queue_in_bytes_ false
Queue/RED set mean_pktsize_ 1500

$defaultRNG seed $seed
set ns [new Simulator]
set sender [$ns node]
set receiver [$ns node]
$ns simplex-link $sender $receiver 10Mb [expr {$rtt / 2.0}]ms RED
$ns simplex-link $receiver $sender 10Mb [expr {$rtt / 2.0}]ms DropTail
$ns queue-limit $sender $receiver 100
$ns queue-limit $receiver $sender 1000

Agent/TCP set packetSize_ 1460
Agent/TCP set window_ 11000
Agent/TCP set ecn_ $ecn
set tcp [new Agent/TCP/Sack1]
set sink [new Agent/TCPSink/Sack1]
$ns attach-agent $sender $tcp
$ns attach-agent $receiver $sink
$ns connect $tcp $sink
set ftp [new Application/FTP]
$ftp attach-agent $tcp

proc finish {} {
  global tcp rtt gentle ecn wait seed seconds
  puts [format "%s,%s,%s,%s,%s,%.0f,%s,%s,%s" $rtt $gentle $ecn $wait $seed \
    [expr {[$tcp set ack_] * 1460 * 8.0 / $seconds}] [$tcp set nrexmit_] [$tcp set nrexmitpack_] [$tcp set necnresponses_]]
  exit 0
}
$ns at [expr {0.01 * $seed}] "$ftp start"
$ns at $seconds finish
$ns run
