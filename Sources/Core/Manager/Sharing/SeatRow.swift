/// Everyone who waits for a run, and what they want together.
struct SeatRow: Sendable {
  struct Taken: Sendable {
    let seat: Seat
    let holds: Bool
    var urgency: LoadPriority
  }

  private var seats: [Taken?] = []
  private var vacant: [Int] = []
  private var urgencies = [Int](repeating: 0, count: LoadPriority.allCases.count)
  private var wishes = WishCount()
  private(set) var limits = ByteLimits()
  private(set) var listeners: [Int: SerialDelivery<RunEvent>] = [:]
  /// Waiting runs, whose own callers come and go.
  private(set) var runs: [Int: SharedRun] = [:]

  var count: Int { seats.count - vacant.count }

  /// The combined wishes of the waiting loads, without those of the waiting runs.
  var wish: RunWish { wishes.wish }

  var highestUrgency: LoadPriority {
    LoadPriority(rawValue: urgencies.lastIndex { $0 > 0 } ?? LoadPriority.normal.rawValue)!
  }

  mutating func add(_ taken: Taken) -> (index: Int, changesPriority: Bool) {
    let before = count == 0 ? nil : highestUrgency
    let index = vacant.popLast() ?? seats.count
    if index < seats.count { seats[index] = taken } else { seats.append(taken) }
    urgencies[taken.urgency.rawValue] += 1
    let seat = taken.seat
    if let run = seat.run { runs[index] = run } else { wishes.add(seat.wish) }
    if let listener = seat.listener { listeners[index] = listener }
    limits.add(seat.byteLimit, of: index)
    return (index, highestUrgency != before)
  }

  /// Returns false when nobody sits there.
  mutating func remove(at index: Int) -> Bool {
    guard index < seats.count, let taken = seats[index] else { return false }
    seats[index] = nil
    vacant.append(index)
    urgencies[taken.urgency.rawValue] -= 1
    if taken.seat.run != nil { runs[index] = nil } else { wishes.remove(taken.seat.wish) }
    listeners[index] = nil
    limits.remove(taken.seat.byteLimit, of: index)
    return true
  }

  mutating func setUrgency(_ urgency: LoadPriority, of seat: Seat, at index: Int) {
    guard index < seats.count, let taken = seats[index], taken.seat === seat else { return }
    urgencies[taken.urgency.rawValue] -= 1
    urgencies[urgency.rawValue] += 1
    seats[index]!.urgency = urgency
  }

  /// Removes the seats, which the run answers now.
  ///
  /// Their wishes and listeners stay, because stores outlive the run.
  mutating func takeSeats() -> [Taken] {
    defer { (seats, vacant) = ([], []) }
    return seats.compactMap { $0 }
  }

  /// The seats whose limit is below `count`; their limits no longer count.
  mutating func seats(limitedBelow count: Int) -> [Seat] {
    limits.removeThose(below: count).compactMap { $0 < seats.count ? seats[$0]?.seat : nil }
  }
}

/// The combined wishes of the callers of a run: the union of their layers, and previews if anyone wants them.
struct RunWish: Sendable {
  var store: CacheLayers = []
  var originalStore: CacheLayers = []
  var wantsPreviews = false

  mutating func formUnion(_ other: RunWish) {
    store.formUnion(other.store)
    originalStore.formUnion(other.originalStore)
    wantsPreviews = wantsPreviews || other.wantsPreviews
  }
}

/// Keeps the combined wishes of a run up to date while callers come and go.
struct WishCount: Sendable {
  private var storeInMemory = 0
  private var storeOnDisk = 0
  private var originalsInMemory = 0
  private var originalsOnDisk = 0
  private var previews = 0

  mutating func add(_ wish: RunWish) { count(wish, 1) }

  mutating func remove(_ wish: RunWish) { count(wish, -1) }

  private mutating func count(_ wish: RunWish, _ step: Int) {
    if wish.store.contains(.memory) { storeInMemory += step }
    if wish.store.contains(.disk) { storeOnDisk += step }
    if wish.originalStore.contains(.memory) { originalsInMemory += step }
    if wish.originalStore.contains(.disk) { originalsOnDisk += step }
    if wish.wantsPreviews { previews += step }
  }

  /// The union of all wishes.
  var wish: RunWish {
    RunWish(
      store: Self.layers(storeInMemory, storeOnDisk), originalStore: Self.layers(originalsInMemory, originalsOnDisk),
      wantsPreviews: previews > 0)
  }

  private static func layers(_ memory: Int, _ disk: Int) -> CacheLayers {
    var layers: CacheLayers = []
    if memory > 0 { layers.insert(.memory) }
    if disk > 0 { layers.insert(.disk) }
    return layers
  }
}

/// Tracks the byte limits of everyone who waits for a run.
struct ByteLimits: Sendable {
  private var limited: [Int: Int] = [:]
  private var unlimitedCount = 0
  private var loosestOfLimited = 0
  private var tightest = Int.max

  /// The highest limit of all who wait.
  var loosest: Int { unlimitedCount > 0 ? .max : loosestOfLimited }

  mutating func add(_ limit: Int, of index: Int) {
    guard limit < .max else { return unlimitedCount += 1 }
    limited[index] = limit
    loosestOfLimited = max(loosestOfLimited, limit)
    tightest = min(tightest, limit)
  }

  mutating func remove(_ limit: Int, of index: Int) {
    guard limit < .max else { return unlimitedCount -= 1 }
    if limited.removeValue(forKey: index) != nil, limit == loosestOfLimited || limit == tightest { recount() }
  }

  /// Removes everyone whose limit is below `count`, and returns their indices.
  mutating func removeThose(below count: Int) -> [Int] {
    guard count > tightest else { return [] }
    let leaving = limited.filter { $0.value < count }.keys.sorted()
    for index in leaving { limited[index] = nil }
    recount()
    return leaving
  }

  private mutating func recount() {
    loosestOfLimited = limited.values.max() ?? 0
    tightest = limited.values.min() ?? .max
  }
}
