//! What the kernel knows of a TCP connection (`TCP_INFO`, linux/tcp.h), and of what it waited for (since Linux 4.10).

use crate::error::{Error, Result, check};
use std::os::fd::{AsFd, AsRawFd};

/// What the kernel counted of a connection until now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TcpInfo {
    /// Bytes that were acknowledged.
    pub bytes_acked: u64,
    /// Microseconds with data that was not yet acknowledged.
    pub busy_us: u64,
    /// Of these, microseconds in which the receiver's window held the sender.
    pub rwnd_limited_us: u64,
    /// Of these, microseconds in which the sender's buffer held it.
    pub sndbuf_limited_us: u64,
    /// Segments that were sent again.
    pub retransmitted: u32,
    /// The smoothed round-trip time, in microseconds.
    pub rtt_us: u32,
    /// The congestion window, in segments.
    pub cwnd: u32,
    /// Bytes of payload in a segment.
    pub mss: u32,
    /// The peer's FIN has arrived; data before it may wait to be read.
    pub has_closed: bool,
}

/// States in which the peer has sent its FIN (linux/tcp_states.h): `CLOSE_WAIT`, `LAST_ACK`, `CLOSING`.
const CLOSED: [u8; 3] = [8, 9, 11];

/// Bytes of `struct tcp_info` that are read; kernels append to it.
const SIZE: usize = 192;

/// Asks the kernel about a connection.
///
/// # Errors
/// If this is no TCP socket.
#[allow(unsafe_code, reason = "no safe library reads TCP_INFO")]
pub fn info(socket: impl AsFd) -> Result<TcpInfo> {
    let mut bytes = [0_u8; SIZE];
    let mut length = libc::socklen_t::try_from(SIZE).unwrap_or_default();
    // SAFETY: the kernel writes at most `length` bytes, the size of the array, and then how many.
    let code = unsafe {
        libc::getsockopt(
            socket.as_fd().as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            bytes.as_mut_ptr().cast(),
            &raw mut length,
        )
    };
    check(code).map_err(|e| Error::system("asking about a TCP connection", e))?;
    Ok(read(&bytes))
}

/// Makes closing a connection drop what it has not sent yet, instead of going on to send it.
///
/// # Errors
/// If this is no socket.
pub fn drop_unsent(socket: impl AsFd) -> Result<()> {
    rustix::net::sockopt::set_socket_linger(socket, Some(std::time::Duration::ZERO))
        .map_err(|e| Error::system("preparing a TCP connection", e))
}

/// Fields at their places in the struct; what an older kernel did not write is 0.
fn read(bytes: &[u8; SIZE]) -> TcpInfo {
    let long =
        |at: usize| bytes.as_chunks::<8>().0.get(at / 8).map_or(0, |b| u64::from_ne_bytes(*b));
    let number =
        |at: usize| bytes.as_chunks::<4>().0.get(at / 4).map_or(0, |b| u32::from_ne_bytes(*b));
    TcpInfo {
        has_closed: CLOSED.contains(&bytes[0]),
        mss: number(16),
        rtt_us: number(68),
        cwnd: number(80),
        retransmitted: number(100),
        bytes_acked: long(120),
        busy_us: long(168),
        rwnd_limited_us: long(176),
        sndbuf_limited_us: long(184),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::{TcpListener, TcpStream, UdpSocket};

    #[test]
    fn a_connection_over_loopback_is_counted() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut one = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let mut other = listener.accept().unwrap().0;
        one.write_all(&vec![7; 50_000]).unwrap();
        other.read_exact(&mut vec![0; 50_000]).unwrap();
        // The last ACK may come later than the data was read.
        let mut info = super::info(&one).unwrap();
        for _ in 0..100 {
            if info.bytes_acked >= 50_000 {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
            info = super::info(&one).unwrap();
        }
        assert!(!info.has_closed, "{info:?}");
        drop(one);
        while !super::info(&other).unwrap().has_closed {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        // The SYN counts as a byte in some kernels.
        assert!((50_000..=50_001).contains(&info.bytes_acked), "{info:?}");
        assert_eq!(info.retransmitted, 0, "{info:?}");
        assert!(info.mss > 500 && info.cwnd >= 2 && info.rtt_us < 10_000_000, "{info:?}");
        assert!(info.busy_us < 60_000_000 && info.rwnd_limited_us <= info.busy_us, "{info:?}");
    }

    #[test]
    fn another_socket_is_refused() {
        assert!(super::info(UdpSocket::bind("127.0.0.1:0").unwrap()).is_err());
    }
}
