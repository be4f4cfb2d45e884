//! The loss recoveries, one entry each. Outside of its file under `recovery/`, a recovery needs
//! only its entry here and its lines in `recovery/mod.rs`.

/// Calls a macro with the list: name, type, whether it reads selective acknowledgements, source.
macro_rules! recoveries {
    ($with:ident) => {
        $with! {
            /// Fast retransmit, then slow start from one segment
            "tahoe" Tahoe(sack: false) from "Jacobson 1988";
            /// Fast recovery that ends with the first new acknowledgement
            "reno" Reno(sack: false) from "RFC 5681 section 3.2";
            /// Fast recovery that repairs one hole per round trip
            "newreno" NewReno(sack: false) from "RFC 6582";
            /// Recovery from the scoreboard of selective acknowledgements
            "sack" Sack(sack: true) from "RFC 6675; RFC 2018";
            /// Recovery from selective acknowledgements as in ns-2's Sack1
            "sack-ns2" SackNs2(sack: true) from "ns-2.35; Fall, Floyd 1996";
        }
    };
}
pub(crate) use recoveries;
