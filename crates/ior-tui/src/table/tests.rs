use super::*;

const COLUMNS: [Column; 4] = [
    Column::word("Name", 6, 0),
    Column::figure("Count", 7, 1),
    Column::figure("Rate/s", 7, 2),
    Column::path("Path", 10, 0),
];

fn table() -> Table<'static> {
    Table {
        columns: &COLUMNS,
        sort: Some((1, Order::Descending)),
        selected: Some(41),
        column: Some(0),
        first: 40,
        len: 3,
        total: 100,
        folded: Folded {
            keys: 3,
            calls: 1500,
            bytes: 2048,
        },
        foot: Foot::Position,
    }
}

fn drawn(width: u16, height: u16) -> (Buffer, Hits) {
    let area = Rect::new(0, 0, width, height);
    let (mut buffer, mut hits) = (Buffer::empty(area), Hits::default());
    let cell = |line: usize, column: usize| match column {
        0 => format!("n{line}").into(),
        3 => "/a/long/path/of/a/file".into(),
        _ => format!("{}", 10 * line + column).into(),
    };
    table().draw(&mut buffer, area, &cell, &Theme::plain(), &mut hits);
    (buffer, hits)
}

fn rows(buffer: &Buffer) -> Vec<String> {
    let cells = |y| (0..buffer.area.width).map(move |x| buffer[(x, y)].symbol());
    let row = |y| cells(y).collect::<String>().trim_end().to_owned();
    (0..buffer.area.height).map(row).collect()
}

#[test]
fn all_columns_where_there_is_room() {
    let (buffer, hits) = drawn(50, 6);
    assert_eq!(
        rows(&buffer),
        [
            "Name     Count▼   Rate/s  Path",
            "n0            1        2  /a/long/path/of/a/file",
            "n1           11       12  /a/long/path/of/a/file",
            "n2           21       22  /a/long/path/of/a/file",
            "",
            "41–43 of 100   [other]: about 3, 1.5 k calls, 2.0…",
        ]
    );
    assert_eq!(hits.at((0, 2).into()), Some(&Hit::Cell(41, 0)));
    assert_eq!(hits.at((10, 0).into()), Some(&Hit::Header(1)));
    assert!(buffer[(0, 2)].modifier.contains(Modifier::UNDERLINED));
    assert!(buffer[(20, 2)].modifier.contains(Modifier::REVERSED));
}

#[test]
fn columns_are_dropped_by_rank_and_then_the_width_is_said() {
    assert_eq!(
        rows(&drawn(27, 3).0)[1],
        "n0            1  …th/of/a/file"[..]
            .to_owned()
            .replace("…th/of/a/file", "…of/a/file")
    );
    assert_eq!(rows(&drawn(18, 3).0)[0], "Name    Path");
    assert_eq!(rows(&drawn(17, 3).0)[0], "needs 18 columns");
    for width in 0..60 {
        for height in 0..8 {
            drawn(width, height);
        }
    }
}
