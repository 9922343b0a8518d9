// SPDX-License-Identifier: Apache-2.0
//! Who sees what at an address.

use takt_board::devices::route::{Attributes, Route, RouteError, Routes, Target, Window};

use crate::common::{RAM, platform};

fn ram(initiators: std::ops::Range<u32>, base: u64, size: u64, offset: u64) -> Window {
    let attributes = Attributes::CACHED;
    Window { initiators, base, size, target: Target::Ram, offset, attributes }
}

#[test]
fn the_platforms_map_leads_everywhere() {
    let mut windows = platform(2).windows();
    windows.push(ram(0..u32::MAX, RAM.start, RAM.end - RAM.start, 0));
    let routes = Routes::new(windows).unwrap();
    let at = |address| routes.route(1, address).map(|route| (route.target, route.offset));
    assert_eq!(at(0x8000_0000), Some((Target::Ram, 0)));
    assert_eq!(at(0x87ff_ffff), Some((Target::Ram, 0x7ff_ffff)));
    assert_eq!(at(0x8800_0000), None);
    assert_eq!(at(0xfff), None);
    assert_eq!(at(0x1000), Some((Target::Rom, 0)));
    assert_eq!(at(0x1000_0005).map(|(_, offset)| offset), Some(5));
    assert_eq!(at(0x1000_0100), None);
    assert_eq!(at(u64::MAX), None);
    assert!(routes.route(0, 0x8000_0000).unwrap().attributes.cacheable);
    assert!(!routes.route(0, 0xc00_0000).unwrap().attributes.cacheable);
    assert_eq!(routes.route(u32::MAX - 1, 0x8000_0010).unwrap().left, 0x7ff_fff0);
}

/// The route's device is the one that `access` by address reaches.
#[test]
fn device_numbers_are_the_platforms() {
    use takt_board::devices::{Kind, Request};
    let mut p = platform(2);
    let routes = Routes::new(p.windows()).unwrap();
    let Some(Route { target: Target::Device(number), offset, .. }) = routes.route(0, 0x200_0004)
    else {
        panic!("the MSWI is a device")
    };
    let request = Request { initiator: 0, offset, bytes: 4, kind: Kind::Write(1) };
    p.access_device(0, number, request).unwrap();
    assert_eq!(crate::common::wires(&mut p), [(1, 3, true)]);
}

#[test]
fn each_initiator_may_have_its_own_map() {
    let bridge = Attributes { cacheable: false, domain: 3, posted: true };
    let routes = Routes::new(vec![
        ram(0..2, 0x1000, 0x1000, 0),
        ram(2..4, 0x1000, 0x800, 0x1000),
        Window { attributes: bridge, ..ram(2..4, 0x9000, 0x1000, 0) },
        ram(0..u32::MAX, 0x4000, 0x1000, 0x2000),
    ])
    .unwrap();
    let at = |initiator, address| routes.route(initiator, address).map(|route| route.offset);
    assert_eq!((at(0, 0x1010), at(1, 0x1010)), (Some(0x10), Some(0x10)));
    assert_eq!((at(2, 0x1010), at(3, 0x1010)), (Some(0x1010), Some(0x1010)));
    assert_eq!((at(1, 0x1800), at(2, 0x1800)), (Some(0x800), None));
    assert_eq!((at(1, 0x9008), at(2, 0x9008), at(4, 0x9008)), (None, Some(8), None));
    assert_eq!(
        (at(0, 0x4000), at(3, 0x4000), at(99, 0x4000)),
        (Some(0x2000), at(0, 0x4000), at(0, 0x4000))
    );
    assert_eq!(at(99, 0x1000), None);
    // RAM is looked at first where all have it, and is found where some have it.
    let memory = |initiator, address, bytes| routes.memory(initiator, address, bytes);
    assert_eq!((memory(0, 0x1ff8, 8), memory(2, 0x17f8, 8)), (Some(0xff8), Some(0x17f8)));
    assert_eq!((memory(2, 0x17f8, 9), memory(99, 0x4ff8, 8)), (None, Some(0x2ff8)));
    assert_eq!((memory(99, 0x4ff8, 9), memory(99, 0x1000, 1)), (None, None));
    assert_eq!(routes.route(2, 0x9000).unwrap().attributes, bridge);
}

#[test]
fn maps_that_contradict_themselves_are_refused() {
    let fails = |windows| Routes::new(windows).unwrap_err();
    assert_eq!(
        fails(vec![ram(0..9, 0x2000, 0x1000, 0), ram(7..8, 0x1000, 0x1001, 0)]),
        RouteError::Overlap { initiator: 7, first: 0x1000, second: 0x2000 }
    );
    assert!(Routes::new(vec![ram(0..7, 0x2000, 0x1000, 0), ram(7..8, 0x2000, 8, 0)]).is_ok());
    assert!(Routes::new(vec![ram(0..9, 0x2000, 0x1000, 0), ram(0..9, 0x1000, 0x1000, 0)]).is_ok());
    assert_eq!(fails(vec![ram(0..1, 64, 0, 0)]), RouteError::Empty { base: 64 });
    assert_eq!(fails(vec![ram(1..1, 64, 8, 0)]), RouteError::Empty { base: 64 });
    let (base, size) = (u64::MAX - 7, 9);
    assert_eq!(fails(vec![ram(0..1, base, size, 0)]), RouteError::PastEnd { base, size });
    assert_eq!(fails(vec![ram(0..1, 0, 9, base)]), RouteError::PastEnd { base: 0, size });
    let last = Routes::new(vec![ram(0..1, base, 8, 0)]).unwrap();
    assert_eq!(last.route(0, u64::MAX).unwrap().left, 1);
    assert!(Routes::new(Vec::new()).unwrap().route(0, 0).is_none());
}
