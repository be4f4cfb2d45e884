# Endless SACK flows over a link of 10 ms, for benches/peers.
#
#   ns wired.tcl FLOWS MBPS PACKETS SECONDS
#
# FLOWS flows between the same two nodes share a link of MBPS with a drop-tail queue of PACKETS. Segments of 1460 B, an
# ACK for each segment, as in the TCP profile s0. Prints the segments acknowledged.

foreach {flows mbps packets seconds} $argv break

set ns [new Simulator]
set a [$ns node]
set b [$ns node]
$ns duplex-link $a $b ${mbps}Mb 10ms DropTail
$ns queue-limit $a $b $packets
$ns queue-limit $b $a $packets

Agent/TCP set packetSize_ 1460
Agent/TCP set window_ 11000
set senders {}
for {set i 0} {$i < $flows} {incr i} {
  set tcp [new Agent/TCP/Sack1]
  set sink [new Agent/TCPSink/Sack1]
  $ns attach-agent $a $tcp
  $ns attach-agent $b $sink
  $ns connect $tcp $sink
  set ftp [new Application/FTP]
  $ftp attach-agent $tcp
  $ns at 0.0 "$ftp start"
  lappend senders $tcp
}
proc finish {} {
  global senders
  set sum 0
  foreach tcp $senders { incr sum [$tcp set ack_] }
  puts "segments $sum"
  exit 0
}
$ns at $seconds finish
$ns run
