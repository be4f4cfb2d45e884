//! Frames of a device, as the kernel puts them into shared memory with the time of their arrival.
//!
//! The ring is `PACKET_RX_RING` of version 2 (packet_mmap of the kernel's documentation). A stamp is taken when the
//! device hands the frame over, however late it is read here. The kernel stamps with the wall clock; see
//! [`clock::Offset`] for the conversion and its error, which is that of a reading of the clock: below 1 us on an idle
//! core.

use crate::clock;
use crate::error::{Error, Result, check};
use crate::socket;
use libc::{tpacket_req, tpacket2_hdr};
use std::io;
use std::mem::offset_of;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU32, Ordering};

/// How a ring is made.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// Frames that fit; a multiple of 64 is used.
    pub frames: u32,
    /// Largest IP packet that is read whole; longer frames are cut.
    pub mtu: u32,
    /// Whether frames for other stations are read.
    pub promiscuous: bool,
}

impl Default for Shape {
    fn default() -> Self {
        Self { frames: 4_096, mtu: 1_500, promiscuous: true }
    }
}

/// A frame in the ring.
#[derive(Debug, Clone, Copy)]
pub struct Frame<'a> {
    /// From the header of the link layer on.
    pub bytes: &'a [u8],
    /// Length on the wire, which is more than `bytes` has if the frame was cut.
    pub length: u32,
    /// Arrival by the monotonic clock, ns.
    pub stamp: i64,
    /// Arrival by the wall clock, as the kernel stamped it, ns since 1970.
    pub wall: i64,
    /// A VLAN tag that the kernel took out: protocol and control information.
    pub vlan: Option<(u16, u16)>,
    /// Whether the sender left the checksum of TCP or UDP to hardware, so that it is not in the bytes.
    pub unsummed: bool,
}

/// What a ring has seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Seen {
    /// Frames that reached the socket, those that were dropped among them.
    pub frames: u64,
    /// Frames that found the ring full.
    pub dropped: u64,
}

/// A ring of received frames of one device.
#[derive(Debug)]
pub struct Ring {
    socket: OwnedFd,
    device: String,
    index: i32,
    link: u16,
    map: Map,
    next: usize,
    offset: clock::Offset,
    error: i64,
    seen: Seen,
}

const VERSION: i32 = 1;
/// Bytes before a packet: header of the ring, address, alignment, a tagged Ethernet header.
const BEFORE: u32 = 128;
/// Bytes before a frame: header of the ring, address, alignment (packet_mmap: the network header is aligned to 16 bytes).
const BEFORE_FRAME: u32 = 80;

impl Ring {
    /// Opens a ring on a device in the namespace of the calling thread. It holds what arrives from now on, and not
    /// what leaves.
    ///
    /// # Errors
    /// If the device is not there, if the process may not, or if memory is short.
    pub fn open(device: &str, shape: Shape) -> Result<Self> {
        Self::make(device, shape, request(shape, BEFORE)?, false)
    }

    /// Opens a ring on a device as a capture has it: it holds what arrives and what leaves. `shape.mtu` counts from the
    /// header of the link layer on. A loopback device hands each frame over twice; then what leaves is left out.
    ///
    /// # Errors
    /// As [`Ring::open`].
    pub fn tap(device: &str, shape: Shape) -> Result<Self> {
        Self::make(device, shape, request(shape, BEFORE_FRAME)?, true)
    }

    /// Bytes of memory for each frame in a ring that [`Ring::tap`] opens.
    pub fn place_of(bytes: u32) -> u32 {
        place(bytes, BEFORE_FRAME)
    }

    fn make(device: &str, shape: Shape, request: tpacket_req, outgoing: bool) -> Result<Self> {
        let index = socket::index(device)?;
        let socket = socket::packet(device)?;
        let failed = |e| Error::device(device, "making a ring for packets", e);
        // Without a protocol nothing arrives yet.
        let link = socket::bind(&socket, device, index, false)?;
        socket::set(&socket, libc::PACKET_VERSION, &VERSION).map_err(failed)?;
        if !outgoing || link == libc::ARPHRD_LOOPBACK {
            socket::set(&socket, libc::PACKET_IGNORE_OUTGOING, &1_i32).map_err(failed)?;
        }
        socket::set(&socket, libc::PACKET_RX_RING, &request).map_err(failed)?;
        let map = Map::new(&socket, &request).map_err(failed)?;
        if shape.promiscuous {
            let kind = u16::try_from(libc::PACKET_MR_PROMISC).unwrap_or_default();
            let member = libc::packet_mreq {
                mr_ifindex: index,
                mr_type: kind,
                mr_alen: 0,
                mr_address: [0; 8],
            };
            socket::set(&socket, libc::PACKET_ADD_MEMBERSHIP, &member).map_err(failed)?;
        }
        socket::bind(&socket, device, index, true)?;
        let offset = clock::Offset::measure();
        let device = device.to_owned();
        let (error, seen) = (offset.error, Seen::default());
        Ok(Self { socket, device, index, link, map, next: 0, offset, error, seen })
    }

    /// The kind of the link layer: `ARPHRD_` of linux/if_arp.h; 1 is Ethernet, 803 is radiotap.
    pub fn link(&self) -> u16 {
        self.link
    }

    /// The name of the device.
    pub fn device(&self) -> &str {
        &self.device
    }

    /// The oldest frame, if there is one. It stays until [`Ring::release`].
    pub fn peek(&self) -> Option<Frame<'_>> {
        self.map.frame(self.next, self.offset)
    }

    /// All frames that have arrived, oldest first, so that several can be sent at once. They stay until
    /// [`Ring::release`] was called for each.
    pub fn waiting(&self) -> impl Iterator<Item = Frame<'_>> {
        let place = move |n| (self.next + n) % self.map.frames;
        (0..self.map.frames).map_while(move |n| self.map.frame(place(n), self.offset))
    }

    /// Gives the place of the oldest frame back to the kernel. Without a frame it does nothing.
    pub fn release(&mut self) {
        if self.map.release(self.next) {
            self.next = (self.next + 1) % self.map.frames;
        }
    }

    /// Hands up to `most` frames to `each`, and returns how many.
    pub fn drain(&mut self, most: usize, mut each: impl FnMut(Frame<'_>)) -> usize {
        for count in 0..most {
            let Some(frame) = self.peek() else { return count };
            each(frame);
            self.release();
        }
        most
    }

    /// Measures the distance of the clocks again; call it once a turn of the loop. Returns whether the wall clock was
    /// set since, in which case stamps in between may be wrong by that step.
    pub fn refresh(&mut self) -> bool {
        let stepped = self.offset.refresh(clock::Offset::once());
        self.error = self.error.max(self.offset.error);
        stepped
    }

    /// The greatest error of a stamp's conversion to the monotonic clock so far, ns.
    pub fn stamp_error(&self) -> i64 {
        self.error
    }

    /// What the kernel counted since the ring was opened.
    ///
    /// # Errors
    /// If the system call fails.
    pub fn seen(&mut self) -> Result<Seen> {
        let now = statistics(&self.socket)
            .map_err(|e| Error::device(&self.device, "reading the counters", e))?;
        self.seen.frames += u64::from(now.tp_packets);
        self.seen.dropped += u64::from(now.tp_drops);
        Ok(self.seen)
    }

    /// Whether the device is still there and up. Ask when waiting reports a ring that has no frame.
    ///
    /// # Errors
    /// [`Error::Down`] once, and [`Error::NoDevice`].
    pub fn check(&self) -> Result<()> {
        let pending = socket::pending(&self.socket, &self.device);
        match (pending, exists(&self.socket, self.index)) {
            (_, false) => Err(Error::NoDevice(self.device.clone())),
            (pending, true) => pending,
        }
    }
}

impl AsFd for Ring {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// Whether the namespace of a socket has a device of this index.
fn exists(socket: &OwnedFd, index: i32) -> bool {
    let index = u32::try_from(index).unwrap_or_default();
    rustix::net::netdevice::index_to_name(socket, index).is_ok()
}

/// Bytes of memory for a frame.
fn place(bytes: u32, before: u32) -> u32 {
    bytes.saturating_add(before).clamp(256, 1 << 17).next_power_of_two()
}

/// The sizes of a ring: places are powers of two, so that whole numbers of them make a block.
fn request(shape: Shape, before: u32) -> Result<tpacket_req> {
    let place = place(shape.mtu, before);
    let frames = shape.frames.clamp(64, 1 << 18).next_multiple_of(64);
    if u64::from(place) * u64::from(frames) > 1 << 30 {
        return Err(Error::Input(format!(
            "a ring of {frames} frames of {place} bytes takes more than 1 GiB: make it smaller"
        )));
    }
    let block = (place * 64).min(1 << 17).max(place);
    let blocks = frames / (block / place);
    Ok(tpacket_req {
        tp_block_size: block,
        tp_block_nr: blocks,
        tp_frame_size: place,
        tp_frame_nr: frames,
    })
}

#[allow(unsafe_code, reason = "options of AF_PACKET are not in safe libraries")]
fn statistics(socket: &OwnedFd) -> io::Result<libc::tpacket_stats> {
    let mut value = libc::tpacket_stats { tp_packets: 0, tp_drops: 0 };
    let mut length = libc::socklen_t::try_from(size_of_val(&value)).unwrap_or_default();
    let option = libc::PACKET_STATISTICS;
    // SAFETY: the kernel writes at most `length` bytes of the value, its size.
    let code = unsafe {
        let value = (&raw mut value).cast();
        libc::getsockopt(socket.as_raw_fd(), libc::SOL_PACKET, option, value, &raw mut length)
    };
    check(code).map(|()| value)
}

/// The memory of a ring. It belongs to the mapping, so it lives as long as this.
#[derive(Debug)]
struct Map {
    start: NonNull<u8>,
    length: usize,
    place: usize,
    frames: usize,
}

// SAFETY: the mapping is shared memory that any thread may read; only its one owner gives places back.
#[allow(unsafe_code, reason = "a pointer to a mapping is not tied to a thread")]
unsafe impl Send for Map {}

impl Map {
    #[allow(unsafe_code, reason = "rings of AF_PACKET are mapped")]
    fn new(socket: &OwnedFd, request: &tpacket_req) -> io::Result<Self> {
        let place = request.tp_frame_size as usize;
        let frames = request.tp_frame_nr as usize;
        let length = place * frames;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping at an address that the kernel picks, of the size that the ring was made with.
        let start = unsafe {
            libc::mmap(ptr::null_mut(), length, access, libc::MAP_SHARED, socket.as_raw_fd(), 0)
        };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let start = NonNull::new(start.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self { start, length, place, frames })
    }

    /// The word by which the kernel and this process hand a place over to one another.
    #[allow(unsafe_code, reason = "the kernel shares the ring")]
    fn status(&self, n: usize) -> &AtomicU32 {
        assert!(n < self.frames, "a place outside the ring");
        // SAFETY: the place is inside the mapping and aligned to 16 bytes; the status is its first field. Both sides
        // access it atomically.
        unsafe {
            let place = self.start.add(n * self.place);
            AtomicU32::from_ptr(place.as_ptr().add(offset_of!(tpacket2_hdr, tp_status)).cast())
        }
    }

    #[allow(unsafe_code, reason = "the kernel shares the ring")]
    #[allow(clippy::cast_ptr_alignment, reason = "places are aligned to 16 bytes")]
    fn frame(&self, n: usize, offset: clock::Offset) -> Option<Frame<'_>> {
        let status = self.status(n).load(Ordering::Acquire);
        if status & libc::TP_STATUS_USER == 0 {
            return None;
        }
        // SAFETY: the place is inside the mapping, as `status` checked, and larger than a header. The kernel does not
        // write to it until the status is cleared, which takes `&mut Ring`, and the frame borrows the ring.
        let (header, bytes) = unsafe {
            let place = self.start.as_ptr().add(n * self.place);
            let header = ptr::read(place.cast::<tpacket2_hdr>());
            let from = usize::from(header.tp_mac).min(self.place);
            let length = (header.tp_snaplen as usize).min(self.place - from);
            (header, std::slice::from_raw_parts(place.add(from), length))
        };
        let tagged = status & libc::TP_STATUS_VLAN_VALID != 0;
        Some(Frame {
            bytes,
            length: header.tp_len,
            stamp: offset.monotonic(header.tp_sec, header.tp_nsec),
            wall: i64::from(header.tp_sec) * 1_000_000_000 + i64::from(header.tp_nsec),
            vlan: tagged.then_some((header.tp_vlan_tpid, header.tp_vlan_tci)),
            unsummed: status & libc::TP_STATUS_CSUMNOTREADY != 0,
        })
    }

    /// Gives a place back. Returns whether it was this process's.
    fn release(&mut self, n: usize) -> bool {
        let status = self.status(n);
        let ours = status.load(Ordering::Acquire) & libc::TP_STATUS_USER != 0;
        if ours {
            status.store(libc::TP_STATUS_KERNEL, Ordering::Release);
        }
        ours
    }
}

impl Drop for Map {
    #[allow(unsafe_code, reason = "rings of AF_PACKET are mapped")]
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `new` with this length, and no frame borrows it any more.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.length) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_fit_the_kernels_rules() {
        for (mtu, frames) in [(1_500, 4_096), (68, 1), (9_000, 1_000), (65_535, 512), (1_280, 130)]
        {
            let r = request(Shape { frames, mtu, promiscuous: false }, BEFORE).unwrap();
            assert!(r.tp_block_size.is_multiple_of(4_096), "{mtu} {frames}");
            assert!(r.tp_frame_size.is_multiple_of(16), "{mtu} {frames}");
            assert_eq!(r.tp_block_size / r.tp_frame_size * r.tp_block_nr, r.tp_frame_nr);
            assert!(r.tp_frame_nr >= frames && r.tp_frame_size >= mtu + 128);
        }
        assert_eq!(request(Shape::default(), BEFORE).unwrap().tp_frame_size, 2_048);
        let large = Shape { frames: 1 << 18, mtu: 65_535, promiscuous: false };
        assert!(request(large, BEFORE).is_err());
        let cut = Shape { mtu: 160, ..Shape::default() };
        assert_eq!(request(cut, BEFORE_FRAME).unwrap().tp_frame_size, 256);
    }

    #[test]
    fn a_device_that_is_not_there_is_named() {
        let error = Ring::open("nosuch0", Shape::default()).unwrap_err();
        assert_eq!(error.to_string(), "interface 'nosuch0' does not exist");
    }
}
