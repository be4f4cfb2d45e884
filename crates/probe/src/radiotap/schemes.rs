//! Radiotap fields of HT, VHT and HE frames, and of MPDUs in an A-MPDU.
//!
//! ```text
//! MCS     3 B: known, flags, index (8 for each further stream)
//! A-MPDU  8 B: reference number, flags (last subframe), delimiter CRC, reserved
//! VHT    12 B: known, flags, bandwidth, MCS and streams of four users, coding, group, partial AID
//! HE     12 B: data 1 to 6
//! ```
//! Fields are aligned to their largest part. Source: <https://www.radiotap.org/fields/MCS>, A-MPDU status, VHT, HE.

use crate::air::{AirFormat, AirFrame, AirMcs};

/// Appends the fields of a frame after those of every frame.
pub(super) fn extend(out: &mut Vec<u8>, frame: &AirFrame) {
    if let Some(mcs) = frame.mcs
        && mcs.format == AirFormat::Ht
    {
        ht(out, mcs);
    }
    if let Some(aggregate) = &frame.aggregate {
        align(out, 4);
        out.extend(aggregate.reference.to_le_bytes());
        // Last subframe known; this is the last subframe.
        let is_last = aggregate.number + 1 == aggregate.count;
        out.extend((0x0004_u16 | if is_last { 0x0008 } else { 0 }).to_le_bytes());
        out.extend([0, 0]);
    }
    match frame.mcs {
        Some(mcs) if mcs.format == AirFormat::Vht => vht(out, mcs),
        Some(mcs) if mcs.format == AirFormat::He => he(out, mcs),
        _ => {}
    }
}

fn align(out: &mut Vec<u8>, bytes: usize) {
    out.resize(out.len().next_multiple_of(bytes), 0);
}

fn ht(out: &mut Vec<u8>, mcs: AirMcs) {
    // Known: bandwidth, index, guard interval, format, coding, no STBC streams, no extension streams.
    let short = if mcs.guard_ns == 400 { 0x04 } else { 0 };
    let ldpc = if mcs.ldpc { 0x10 } else { 0 };
    let wide = u8::from(mcs.width_mhz == 40);
    out.extend([0x7f, wide | short | ldpc, mcs.index + 8 * (mcs.streams - 1)]);
}

fn vht(out: &mut Vec<u8>, mcs: AirMcs) {
    align(out, 2);
    // Known: no STBC, guard interval, bandwidth.
    out.extend(0x0045_u16.to_le_bytes());
    out.push(if mcs.guard_ns == 400 { 0x04 } else { 0 });
    out.push(match mcs.width_mhz {
        20 => 0,
        40 => 1,
        80 => 4,
        _ => 11,
    });
    out.extend([mcs.index << 4 | mcs.streams, 0, 0, 0]);
    out.extend([u8::from(mcs.ldpc), 0, 0, 0]);
}

fn he(out: &mut Vec<u8>, mcs: AirMcs) {
    align(out, 2);
    // Known: data MCS, no DCM, coding, no STBC, bandwidth, guard interval. The format is HE SU.
    let known = 0x0020_u16 | 0x0040 | 0x0080 | 0x0200 | 0x4000;
    let coding = if mcs.ldpc { 0x2000 } else { 0 };
    let width = match mcs.width_mhz {
        20 => 0,
        40 => 1,
        80 => 2,
        _ => 3,
    };
    let guard = match mcs.guard_ns {
        800 => 0,
        1600 => 1,
        _ => 2,
    };
    let data = [
        known,
        0x0002,
        u16::from(mcs.index) << 8 | coding,
        0,
        width | guard << 4,
        u16::from(mcs.streams),
    ];
    out.extend(data.iter().flat_map(|word| word.to_le_bytes()));
}
