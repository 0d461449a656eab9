//! Disks that fail.

use super::*;

/// A device that is full.
struct Full;

impl Files for Full {
    fn open(&mut self) -> io::Result<File> {
        File::options().write(true).open("/dev/full")
    }

    fn complete(&mut self) -> io::Result<()> {
        panic!("it is not complete")
    }
}

#[test]
fn a_full_device_is_an_error() {
    let error = Parquet::new(Box::new(Full), Rotate::Never, About::default()).err();
    assert_eq!(error.unwrap().kind(), ErrorKind::StorageFull);
}

#[test]
fn what_is_whole_of_a_file_can_be_finished() {
    let place = Place::new("whole");
    let path = place.directory.join("x");
    let schema = schema::columns().unwrap();
    let mut group = Group::new(schema.clone()).unwrap();
    let (mut numbers, mut known) = (Numbers::default(), Known::default());
    let mut recording = Recording::begin(File::create(&path).unwrap()).unwrap();
    let task = task(2, b"dd");
    for seq in 1..=3 {
        let mut batch = Batch::default();
        batch.push(&row(seq, &task, b"/dev/zero"), &mut numbers);
        known.learn(&batch.new);
        group.push(&batch, &known).unwrap();
        recording.push(&mut group).unwrap();
    }
    // The third did not leave room for a footer, and half of another was written.
    recording.drop_group();
    fs::write(&path, [fs::read(&path).unwrap(), b"half".to_vec()].concat()).unwrap();
    recording.cut().unwrap();
    recording.finish(&schema, Vec::new()).unwrap();
    assert_eq!(recording.rows(), 2);
    assert_eq!(records(&path).len(), 2);
}
