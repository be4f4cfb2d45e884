//! Builds a medium from the plans of its cells.

use airtcp_probe::ConfigError;
use airtcp_random::Seed;
use airtcp_units::{Nanos, Narrow};

use super::agenda::Agenda;
use super::aggregation_check::check_aggregation;
use super::air::Air;
use super::alike::state::Alike;
use super::ambient::Ambient;
use super::bands::Tuned;
use super::books::Books;
use super::bss::{Bss, Parts};
use super::cells::Cells;
use super::clock::{Clock, Moment};
use super::ending::Ending;
use super::levels::Levels;
use super::medium::Medium;
use super::obss_pd::ObssPd;
use super::occupied::Occupied;
use super::outbox::Outbox;
use super::plan::{CellPlan, Coupling, StationPlan};
use super::radio::Radio;
use super::reach::Reach;
use super::reorder::ReorderBuffers;
use super::watched::Watch;
use crate::mac::{
    AccessParams, Association, Beacons, Contender, Hooks, ImmediateAccess, LinkRed, MuAccess,
    MuStation, MultiUser, Originator, Rules, Station, Widths,
};
use crate::node::NodeId;
use crate::phy::error::ErrorModel;
use crate::phy::{Channel, Format, Mode};
use crate::rate::{ByReceiver, ByStandard, Rate, RateContext};

impl Medium {
    /// Builds a cell with its own medium; its random draws come from `seed` under `label`.
    ///
    /// # Errors
    /// If the rules of medium access or a station's access parameters are impossible.
    pub fn new(plan: CellPlan, seed: Seed, label: &str) -> Result<Self, ConfigError> {
        let fading = plan.fading;
        let between = Coupling { power_mw: Vec::new(), fading, channels: vec![None] };
        Self::shared(vec![(plan, label.to_owned())], between, seed).map_err(|(_, e)| e)
    }

    /// Builds cells that share a medium, each with the label of its random draws. The draws of a
    /// cell do not depend on the other cells.
    ///
    /// # Errors
    /// As [`Self::new`], with the number of the cell.
    pub fn shared(
        cells: Vec<(CellPlan, String)>,
        between: Coupling,
        seed: Seed,
    ) -> Result<Self, (usize, ConfigError)> {
        let total = cells.iter().map(|(plan, _)| plan.stations.len()).sum();
        let dsss_only = |(plan, _): &(CellPlan, String)| {
            plan.stations.iter().map(|station| station.dsss_only).collect::<Vec<_>>()
        };
        let mut dsss_only: Vec<bool> = cells.iter().flat_map(dsss_only).collect();
        if !dsss_only.contains(&true) {
            dsss_only.clear();
        }
        let Coupling { power_mw, fading, channels } = between;
        let reach = Reach::new(&channels, power_mw, fading, dsss_only, formats(&cells));
        let mut medium = Self::empty(total, cells.len(), reach);
        // The cells of a medium have one speed.
        medium.clock = cells.first().map_or(Clock::RUN, |(plan, _)| Clock::new(plan.mac.speed()));
        for (number, (plan, label)) in cells.into_iter().enumerate() {
            let channel = channels.get(number).copied().flatten();
            medium.add(plan, channel, seed, &label).map_err(|e| (number, e))?;
        }
        if medium.cells.iter().any(|bss| bss.rules.aggregation.is_some()) {
            medium.reorder = Some(Box::new(ReorderBuffers::new()));
        }
        medium.reach.close();
        // Stations wait for beacons from the start.
        (0..u32::narrow(total)).for_each(|station| medium.refresh(station));
        medium.interferers_begin(Nanos::ZERO);
        if let Some(alike) = medium.shared_view() {
            medium.alike = alike;
            medium.join_idle();
        }
        Ok(medium)
    }

    /// A medium for `total` stations without any yet.
    fn empty(total: usize, cells: usize, reach: Reach) -> Self {
        Self {
            clock: Clock::RUN,
            moment: Moment::START,
            cells: Cells::with_capacity(cells, total),
            reach,
            stations: Vec::with_capacity(total),
            radios: (0..total).map(|_| Radio::default()).collect(),
            alike: Alike::none(total),
            air: Air::silent(),
            agenda: Agenda::new(total),
            outbox: Outbox::default(),
            touched: Vec::new(),
            over: Vec::new(),
            watched: Watch::default(),
            ending: Ending::default(),
            controls: Vec::with_capacity(total),
            books: Books::new(total),
            reorder: None,
        }
    }

    /// Appends a cell and its stations.
    fn add(
        &mut self,
        plan: CellPlan,
        channel: Option<Channel>,
        seed: Seed,
        label: &str,
    ) -> Result<(), ConfigError> {
        plan.mac.validate()?;
        plan.mac.check_protection(&plan.timing)?;
        let n = plan.stations.len();
        let first = self.stations.len();
        let seams = plan.stations.iter().map(|station| &station.seams);
        check_aggregation(&plan.mac, plan.timing.standard, seams)?;
        let aggregation = plan.mac.aggregation(plan.timing.standard)?;
        let rules = Rules { timing: plan.timing, mac: plan.mac, aggregation };
        let stations = || plan.stations.iter().enumerate();
        let dsss_only = stations().filter(|(_, s)| s.dsss_only).map(|(i, _)| i).collect();
        let members = Members {
            first,
            dsss_only,
            total: self.radios.len(),
            rules: &rules,
            error: &plan.error,
            seed,
            label,
            takes_part: takes_part(&plan.stations),
        };
        for (i, station) in plan.stations.iter().enumerate() {
            self.stations.push(members.station(i, station)?);
            self.controls.push(station.seams.control);
        }
        self.agenda.add(first, plan.controllers);
        let widths = plan.stations.iter().map(|station| station.width);
        self.reach.add(widths, plan.power_mw, plan.ignore_below_mw);
        let levels = Levels::new(&plan.sensing, &plan.capture, plan.residual_error);
        let (noise, steps) = (plan.noise_mw, plan.noise_steps);
        let ambient = Ambient::new(noise, steps, plan.interference, n, levels.energy_detect)
            .with_clock(self.clock);
        let keyed = |what| seed.keyed(&format!("{label}/{what}"));
        // Of a single cell, all energy is in its own band.
        let channel = channel.filter(|_| !self.reach.is_one_cell());
        let tuned = channel.map_or_else(Tuned::default, |channel| Tuned::new(channel, &levels));
        let whole = Occupied::whole(plan.width);
        let reuse = plan.reuse.filter(|_| channel.is_some());
        let reuse = reuse.map(|reuse| ObssPd::new(&reuse, rules.mac.obss_pd_dbm));
        self.set_widths(first, &rules, channel.filter(|_| tuned.has_secondaries()));
        let parts = Parts {
            rules,
            error: plan.error,
            fading: plan.fading,
            levels,
            ambient,
            band: channel.map_or(whole, |channel| whole.at(channel.spectrum(plan.width))),
            channel,
            tuned,
            reuse: reuse.unwrap_or_default(),
            draws: ["decode", "decode abroad"].map(keyed),
            draws_mpdu: ["mpdu", "mpdu abroad"].map(keyed),
        };
        self.cells.add(Bss::new(first, parts), n);
        Ok(())
    }

    /// Lets the stations of a new cell bond the secondary channels that `channel` has.
    fn set_widths(&mut self, first: usize, rules: &Rules, channel: Option<Channel>) {
        let rule = rules.mac.bonding.unwrap_or_default();
        let widths = channel.map(|channel| Widths::new(rule, channel.width()));
        self.stations[first..].iter_mut().for_each(|station| station.widths = widths);
    }
}

/// By station, the latest format that it decodes; empty if all decode all frames of the medium, except those of
/// 802.11b.
fn formats(cells: &[(CellPlan, String)]) -> Vec<Format> {
    let lacks = |(plan, _): &(CellPlan, String)| {
        let latest = plan.timing.standard.format();
        latest > Format::Ofdm && plan.stations.iter().any(|station| station.decodes < latest)
    };
    let several = cells.len() > 1 && cells.iter().any(|(plan, _)| plan.timing.standard.has_mcs());
    if !several && !cells.iter().any(lacks) {
        return Vec::new();
    }
    let stations = cells.iter().flat_map(|(plan, _)| &plan.stations);
    stations.map(|station| station.decodes).collect()
}

/// By station, whether it has 802.11ax over the whole width of the access point's channel. PPDUs for several stations
/// have that width.
fn takes_part(stations: &[StationPlan]) -> Vec<bool> {
    let width = stations.first().map(|access_point| access_point.width);
    let all = stations.iter();
    let takes_part = |s: &StationPlan| s.decodes.generation().multi_user;
    all.map(|s| takes_part(s) && width.is_none_or(|width| s.width >= width)).collect()
}

/// Inputs to build the stations of a cell.
struct Members<'a> {
    /// Number of the first one on the medium.
    first: usize,
    /// Stations of the cell that decode only DSSS and CCK.
    dsss_only: Vec<usize>,
    /// Stations on the medium.
    total: usize,
    rules: &'a Rules,
    error: &'a ErrorModel,
    seed: Seed,
    label: &'a str,
    /// By station of the cell, whether it can take part in multi-user exchanges.
    takes_part: Vec<bool>,
}

impl Members<'_> {
    /// Station `i` of the cell; the first is its access point.
    fn station(&self, i: usize, plan: &StationPlan) -> Result<Station, ConfigError> {
        let Self { first, total, rules, seed, label, .. } = *self;
        let access = &plan.seams.access;
        if !rules.mac.categories().contains(&access.len()) {
            return Err(ConfigError::new("access", "does not fit the access method"));
        }
        let contender = |a: &AccessParams| {
            Contender::new(rules.timing.aifs(a.aifsn), a)
                .with_immediate_access(rules.mac.immediate_access)
        };
        let backoff = plan.seams.always_backoff;
        let contenders = access.iter().zip(backoff).map(|(a, always)| {
            let usual = contender(a);
            if always { usual.with_immediate_access(ImmediateAccess::Never) } else { usual }
        });
        let contenders: Vec<Contender> = contenders.collect();
        let highest = access.last().map(|a| contender(&a.for_one_frame()));
        let random = seed.stream(&format!("{label}/sta/{i}/backoff"));
        let beacons = rules.mac.beacons.filter(|_| i == 0).map(|config| {
            let phase = |below| seed.stream(&format!("{label}/beacon")).below(below);
            Beacons::new(&config, phase)
        });
        let link_red = plan
            .seams
            .link_red
            .map(|params| LinkRed::new(params, seed.stream(&format!("{label}/sta/{i}/link-red"))));
        let (rate, slowest) = self.rate(i, plan)?;
        let id = NodeId(u32::narrow(first + i));
        let hooks = Hooks::new(plan.seams.exchange, link_red, &contenders);
        let mut station = Station::new(id, total, contenders, rate, slowest, random);
        station.hooks = hooks;
        let association = rules.mac.association.zip(rules.mac.beacons);
        let association = association.map(|(config, beacons)| {
            Association::new(&config, beacons.interval, id, NodeId(u32::narrow(first)))
        });
        let manages = beacons.is_some() || association.is_some();
        if let Some(contender) = highest.filter(|_| manages) {
            station.add_management(beacons, association, contender);
        }
        station.originator = rules.aggregation.map(|aggregation| {
            let originator = Originator::new(aggregation, total, station.contenders().len());
            let slowest = if aggregation.has_amsdu() { self.slowest(plan) } else { Vec::new() };
            Box::new(originator.with_slowest(slowest))
        });
        self.multi_user(i, &mut station);
        Ok(station)
    }

    /// Adds multi-user operation to a station.
    fn multi_user(&self, i: usize, station: &mut Station) {
        let Some(ofdma) = self.rules.mac.ofdma.filter(|_| self.takes_part[i]) else { return };
        let contenders = station.contenders();
        if i == 0 {
            let mut capable = vec![false; self.total];
            capable[self.first..][..self.takes_part.len()].copy_from_slice(&self.takes_part);
            capable[self.first] = false;
            let access = MuAccess::new(ofdma, capable, contenders.len());
            station.multi_user = MultiUser::AccessPoint(Box::new(access));
        } else if ofdma.uplink {
            let first = u32::narrow(self.first);
            let cell = first..first + u32::narrow(self.takes_part.len());
            let own = MuStation::new(NodeId(first), cell, ofdma.mu_edca, contenders);
            station.multi_user = MultiUser::Triggered(Box::new(own));
        }
    }

    /// The slowest mode of a station's rate control towards each station; `None` where it does not adapt.
    fn slowest(&self, plan: &StationPlan) -> Vec<Option<Mode>> {
        let mut all = vec![plan.rate.slowest(); self.total];
        for (rates, stations) in &plan.others {
            for to in stations {
                all[self.first + to] = rates.slowest();
            }
        }
        all
    }

    /// Rate control of a station, and its slowest mode if it adapts. Towards stations that decode only
    /// DSSS and CCK it has no OFDM.
    fn rate(&self, i: usize, plan: &StationPlan) -> Result<(Rate, Option<Mode>), ConfigError> {
        let Self { rules, error, seed, label, .. } = *self;
        let node = |local: usize| NodeId(u32::narrow(self.first + local));
        let label = format!("{label}/sta/{i}/rate");
        let context = RateContext { timing: &rules.timing, error, seed, label: &label };
        let mut rate = Rate::new(&plan.rate, context)?;
        if !plan.towards.is_empty() {
            let modes = plan.towards.iter().map(|(to, mode)| (node(*to), *mode));
            let usual = plan.rate.fixed_mode().unwrap_or(rules.timing.lowest());
            rate = Rate::custom(ByReceiver::new(usual, modes.collect()));
        }
        if !plan.others.is_empty() {
            let mut slowest = plan.rate.slowest();
            let mut others = Vec::with_capacity(plan.others.len());
            for (number, (rates, stations)) in plan.others.iter().enumerate() {
                let label = format!("{label}/{number}");
                let rate = Rate::new(rates, RateContext { label: &label, ..context })?;
                slowest = slowest.or(rates.slowest()).map(|mode| {
                    rates.slowest().filter(|other| other.kbps() < mode.kbps()).unwrap_or(mode)
                });
                others.push((rate, stations.iter().map(|to| node(*to)).collect()));
            }
            return Ok((Rate::custom(ByStandard::new(rate, others)), slowest));
        }
        // In a cell of HT, VHT or HE only the access point sends to older stations, as in `others`.
        let has_mcs = rules.timing.standard.has_mcs();
        if plan.dsss_only || self.dsss_only.is_empty() || has_mcs {
            return Ok((rate, plan.rate.slowest()));
        }
        let without = plan.rate.without_ofdm();
        let label = format!("{label}/dsss");
        let dsss = Rate::new(&without, RateContext { label: &label, ..context })?;
        // A station with a rate of its own is one of `towards`.
        let others = self.dsss_only.iter().filter(|to| !plan.towards.contains_key(to));
        let others = others.map(|to| node(*to)).collect();
        let rate = ByStandard::new(rate, vec![(dsss, others)]);
        Ok((Rate::custom(rate), without.slowest()))
    }
}
