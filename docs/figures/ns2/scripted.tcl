# Every data packet of a transfer in which given packets are lost, in ns-2.
#
#   ns scripted.tcl FLAVOUR SECONDS PACKET...
#
# Prints, for every data packet that enters the queue: time in s, number of the segment (from 1).
# Packets are counted as they pass the link; packet 0 is the SYN.

set flavour [lindex $argv 0]
set seconds [lindex $argv 1]
set drops [lrange $argv 2 end]

set ns [new Simulator]
set sender [$ns node]
set receiver [$ns node]
$ns duplex-link $sender $receiver 10Mb 40ms DropTail
$ns queue-limit $sender $receiver 100

set losses [new ErrorModel/List]
$losses unit pkt
$losses droplist $drops
$losses drop-target [new Agent/Null]
$ns link-lossmodel $losses $sender $receiver

set pipe [open "| awk {\$1 == \"+\" && \$3 == 0 && \$5 == \"tcp\" && \$11 > 0 { printf \"%.6f %d\\n\", \$2, \$11 }} >@ stdout" w]
$ns trace-queue $sender $receiver $pipe

Agent/TCP set packetSize_ 1460
Agent/TCP set window_ 11000
set tcp [new Agent/TCP[expr {$flavour eq "Tahoe" ? "" : "/$flavour"}]]
set sink [new Agent/TCPSink[expr {$flavour eq "Sack1" ? "/Sack1" : ""}]]
$ns attach-agent $sender $tcp
$ns attach-agent $receiver $sink
$ns connect $tcp $sink
set ftp [new Application/FTP]
$ftp attach-agent $tcp

proc finish {} {
  global ns pipe
  $ns flush-trace
  close $pipe
  exit 0
}
$ns at 0.0 "$ftp start"
$ns at $seconds finish
$ns run
