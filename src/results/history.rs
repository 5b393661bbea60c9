//! Writes motions under drives, appended block by block.

use hdf5::{Dataset, File, Group};
use ndarray::s;

use super::ResultError;
use super::writer::{ResultWriter, new, subgroup, text_attribute};
use crate::transient::{Effort, Instant, SlipMeter, ZoneMeter};

/// Stored instants that go to disk together.
const BLOCK: usize = 2048;

/// What a record holds.
#[derive(Debug, Clone)]
pub struct HistoryShape {
    /// Name and unit of each probe.
    pub probes: Vec<(String, String)>,
    /// Unit of each drive.
    pub drives: Vec<String>,
    /// Pairs of each interface: prescribed normal load \[N\] and rows of normal and tangential directions.
    pub interfaces: Vec<Vec<PairPlace>>,
}

/// Where the directions of a pair are.
#[derive(Debug, Clone)]
pub struct PairPlace {
    /// Prescribed normal load \[N\].
    pub preload: f64,
    /// Row of the normal direction.
    pub normal: Option<usize>,
    /// Rows of the tangential directions.
    pub tangents: Vec<usize>,
    /// Whether its law has zones.
    pub has_zones: bool,
}

/// A growing table: rows are instants.
#[derive(Debug)]
struct Table {
    dataset: Dataset,
    width: usize,
    waiting: Vec<f64>,
}

/// Appends the instants of a record.
#[derive(Debug)]
pub struct HistoryWriter {
    file: File,
    group: Group,
    shape: HistoryShape,
    time: Table,
    probes: Vec<Table>,
    drives: Vec<Table>,
    contacts: Vec<ContactTables>,
}

#[derive(Debug)]
struct ContactTables {
    group: Group,
    normal: Table,
    /// Force, displacement and velocity in each tangential direction.
    tangents: Vec<[Table; 3]>,
    zones: Option<ZoneTables>,
}

/// Zones of the hybrid law.
#[derive(Debug)]
struct ZoneTables {
    /// z_e, z_p and z_s in each tangential direction.
    displacements: Vec<[Table; 3]>,
    /// Dissipated in the plastic zone, in partial and in gross slip.
    energies: [Table; 3],
}

type Column = (&'static str, &'static str, fn(&SlipMeter) -> f64);

/// Measures of every pair: name, unit and value.
const MEASURES: [Column; 12] = [
    ("break_away_force", "N", |m| m.break_away().unwrap_or(f64::NAN)),
    ("max_force", "N", |m| m.max_force),
    ("max_displacement", "m", |m| m.max_displacement),
    ("work", "J", |m| m.work),
    ("work_rate", "W", SlipMeter::work_rate),
    ("slip_ratio", "1", SlipMeter::slip_ratio),
    ("stick_count", "1", |m| m.sticks().len() as f64),
    ("stick_duration", "s", |m| {
        let sticks = m.sticks();
        sticks.iter().map(|[begin, end]| end - begin).sum::<f64>() / sticks.len() as f64
    }),
    ("last_stick_end", "s", |m| m.sticks().last().map_or(f64::NAN, |stick| stick[1])),
    ("slip_period", "s", SlipMeter::slip_period),
    ("slip_distance", "m", SlipMeter::slip_distance),
    ("reversals", "1", |m| m.reversals as f64),
];

impl ResultWriter {
    /// Begins a record to which instants are appended.
    pub fn begin_history(
        &self,
        name: &str,
        shape: HistoryShape,
    ) -> Result<HistoryWriter, ResultError> {
        let group = self.analysis(name, "history")?;
        let probes = subgroup(&group, "probes")?;
        let drives = subgroup(&group, "drives")?;
        let contact = subgroup(&group, "contact")?;
        let contacts = shape.interfaces.iter().enumerate().map(|(i, pairs)| {
            let own = subgroup(&contact, &i.to_string())?;
            ContactTables::new(own, pairs)
        });
        let probe = |(name, unit): &(String, String)| Table::new(&probes, name, 1, unit);
        let drive = |(i, unit): (usize, &String)| Table::new(&drives, &i.to_string(), 1, unit);
        let writer = HistoryWriter {
            file: self.file().clone(),
            contacts: contacts.collect::<Result<_, _>>()?,
            probes: shape.probes.iter().map(probe).collect::<Result<_, _>>()?,
            drives: shape.drives.iter().enumerate().map(drive).collect::<Result<_, _>>()?,
            time: Table::new(&group, "time", 1, "s")?,
            shape,
            group,
        };
        self.flush()?;
        Ok(writer)
    }
}

impl ContactTables {
    fn new(group: Group, pairs: &[PairPlace]) -> Result<Self, ResultError> {
        let n = pairs.len();
        let count = pairs.iter().map(|pair| pair.tangents.len()).max().unwrap_or(0);
        let tangents = ["", "2"].into_iter().take(count).map(|number| {
            Ok([
                Table::new(&group, &format!("tangential_force{number}"), n, "N")?,
                Table::new(&group, &format!("slip{number}"), n, "m")?,
                Table::new(&group, &format!("velocity{number}"), n, "m/s")?,
            ])
        });
        let tangents = tangents.collect::<Result<_, ResultError>>()?;
        let has_zones = pairs.iter().any(|pair| pair.has_zones);
        let zones = has_zones.then(|| ZoneTables::new(&group, n, count)).transpose()?;
        Ok(Self { normal: Table::new(&group, "normal_force", n, "N")?, tangents, zones, group })
    }

    fn take(&mut self, pairs: &[PairPlace], instant: &Instant) {
        for pair in pairs {
            let carried = pair.normal.map_or(0.0, |row| instant.force[row]);
            self.normal.waiting.push(pair.preload - carried);
            for (t, [force, slip, velocity]) in self.tangents.iter_mut().enumerate() {
                let at = |values: &[f64]| pair.tangents.get(t).map_or(0.0, |row| values[*row]);
                force.waiting.push(at(instant.force));
                slip.waiting.push(at(instant.relative));
                velocity.waiting.push(at(instant.velocity));
            }
        }
    }

    fn write(&mut self) -> Result<(), ResultError> {
        self.normal.write()?;
        self.tangents.iter_mut().flatten().try_for_each(Table::write)?;
        self.zones.as_mut().map_or(Ok(()), ZoneTables::write)
    }
}

impl ZoneTables {
    fn new(group: &Group, n: usize, count: usize) -> Result<Self, ResultError> {
        let group = subgroup(group, "zones")?;
        let of = |number: &str| {
            Ok([
                Table::new(&group, &format!("elastic{number}"), n, "m")?,
                Table::new(&group, &format!("plastic{number}"), n, "m")?,
                Table::new(&group, &format!("slip{number}"), n, "m")?,
            ])
        };
        let displacements = ["", "2"].into_iter().take(count).map(of);
        Ok(Self {
            displacements: displacements.collect::<Result<_, ResultError>>()?,
            energies: [
                Table::new(&group, "plastic_energy", n, "J")?,
                Table::new(&group, "partial_slip_energy", n, "J")?,
                Table::new(&group, "gross_slip_energy", n, "J")?,
            ],
        })
    }

    fn take(&mut self, meters: &[Option<ZoneMeter>]) {
        for meter in meters.iter().flatten() {
            for (tables, values) in self.displacements.iter_mut().zip(meter.displacement) {
                tables.iter_mut().zip(values).for_each(|(table, z)| table.waiting.push(z));
            }
            let energies = self.energies.iter_mut().zip(meter.energy);
            energies.for_each(|(table, energy)| table.waiting.push(energy));
        }
    }

    fn write(&mut self) -> Result<(), ResultError> {
        let tables = self.displacements.iter_mut().flatten();
        tables.chain(&mut self.energies).try_for_each(Table::write)
    }
}

impl HistoryWriter {
    /// Stores an instant with the zones of all pairs; a block of them goes to disk when it is full.
    pub fn append(
        &mut self,
        instant: &Instant,
        zones: &[Option<ZoneMeter>],
    ) -> Result<(), ResultError> {
        for (table, value) in self.probes.iter_mut().zip(instant.probes()) {
            table.waiting.push(value);
        }
        for (table, value) in self.drives.iter_mut().zip(instant.drives()) {
            table.waiting.push(value);
        }
        let mut first = 0;
        for (contact, pairs) in self.contacts.iter_mut().zip(&self.shape.interfaces) {
            contact.take(pairs, instant);
            if let Some(tables) = &mut contact.zones {
                tables.take(&zones[first..first + pairs.len()]);
            }
            first += pairs.len();
        }
        self.time.waiting.push(instant.time);
        if self.time.waiting.len() >= BLOCK { self.write() } else { Ok(()) }
    }

    /// Time grows last: a time on disk always has its values.
    fn write(&mut self) -> Result<(), ResultError> {
        self.probes.iter_mut().chain(&mut self.drives).try_for_each(Table::write)?;
        self.contacts.iter_mut().try_for_each(ContactTables::write)?;
        self.time.write()?;
        Ok(self.file.flush()?)
    }

    /// Writes what is left, and the measures of all pairs in the order of the interfaces.
    pub fn finish(mut self, meters: &[SlipMeter], effort: Effort) -> Result<(), ResultError> {
        self.write()?;
        for (name, count) in
            [("steps", effort.steps), ("rejected", effort.rejected), ("halvings", effort.halvings)]
        {
            self.group.new_attr::<u64>().create(name)?.write_scalar(&(count as u64))?;
        }
        let mut first = 0;
        for (contact, pairs) in self.contacts.iter().zip(&self.shape.interfaces) {
            let own = &meters[first..first + pairs.len()];
            first += pairs.len();
            let measures = subgroup(&contact.group, "measures")?;
            for (name, unit, value) in MEASURES {
                new(&measures, name, &own.iter().map(value).collect::<Vec<f64>>(), unit)?;
            }
            write_slips(&subgroup(&contact.group, "slips")?, own)?;
        }
        Ok(self.file.flush()?)
    }
}

/// All slips of an interface, pair after pair.
fn write_slips(group: &Group, meters: &[SlipMeter]) -> Result<(), ResultError> {
    let slips = || {
        let of = |(pair, meter): (usize, &SlipMeter)| {
            meter.slips.clone().into_iter().map(move |slip| (pair, slip))
        };
        meters.iter().enumerate().flat_map(of).collect::<Vec<_>>()
    };
    let slips = slips();
    new(group, "pair", &slips.iter().map(|(pair, _)| *pair as u64).collect::<Vec<_>>(), "1")?;
    new(group, "begin", &slips.iter().map(|(_, slip)| slip.begin).collect::<Vec<_>>(), "s")?;
    new(group, "end", &slips.iter().map(|(_, slip)| slip.end).collect::<Vec<_>>(), "s")?;
    new(group, "distance", &slips.iter().map(|(_, slip)| slip.distance).collect::<Vec<_>>(), "m")?;
    Ok(())
}

impl Table {
    fn new(group: &Group, name: &str, width: usize, unit: &str) -> Result<Self, ResultError> {
        let builder = group.new_dataset::<f64>().obj_track_times(false);
        let dataset = match width {
            1 => builder.chunk(BLOCK).shape(0..).create(name)?,
            width => {
                builder.chunk((BLOCK.div_ceil(width), width)).shape((0.., width)).create(name)?
            }
        };
        text_attribute(&dataset, "unit", unit)?;
        Ok(Self { dataset, width, waiting: vec![] })
    }

    fn write(&mut self) -> Result<(), ResultError> {
        let (start, rows) = (self.dataset.shape()[0], self.waiting.len() / self.width.max(1));
        if rows > 0 && self.width == 1 {
            self.dataset.resize(start + rows)?;
            self.dataset.write_slice(&self.waiting, s![start..])?;
        } else if rows > 0 {
            self.dataset.resize((start + rows, self.width))?;
            let block = ndarray::ArrayView2::from_shape((rows, self.width), &self.waiting)
                .expect("whole rows are waiting");
            self.dataset.write_slice(block, s![start.., ..])?;
        }
        self.waiting.clear();
        Ok(())
    }
}
