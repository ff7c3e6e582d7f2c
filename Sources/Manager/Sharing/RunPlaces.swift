import EaselCore
import EaselSupport

/// Everyone who waits for a run.
///
/// Their common demands are computed only when needed, so that joining costs little even if thousands join.
struct RunPlaces: Sendable {
  struct Taken: Sendable {
    let place: RunPlace
    let holds: Bool
    var urgency: LoadPriority
  }

  private var taken: [Taken?] = []
  private var vacant: [Int] = []
  private var urgencies = [Int](repeating: 0, count: LoadPriority.allCases.count)

  var count: Int { taken.count - vacant.count }

  var places: [Taken] { taken.compactMap { $0 } }

  var listeners: [SerialDelivery<RunEvent>] { taken.compactMap { $0?.place.listener } }

  var highestUrgency: LoadPriority {
    LoadPriority(rawValue: urgencies.lastIndex { $0 > 0 } ?? LoadPriority.normal.rawValue)!
  }

  /// The highest byte limit.
  var loosestLimit: Int {
    var loosest = 0
    for case let taken? in taken { loosest = max(loosest, taken.place.byteLimit) }
    return loosest
  }

  func places(limitedBelow count: Int) -> [RunPlace] {
    taken.compactMap { taken in taken.flatMap { $0.place.byteLimit < count ? $0.place : nil } }
  }

  mutating func add(_ place: RunPlace, holds: Bool, urgency: LoadPriority) -> (index: Int, changesPriority: Bool) {
    let before = count == 0 ? nil : highestUrgency
    let index = vacant.popLast() ?? taken.count
    let new = Taken(place: place, holds: holds, urgency: urgency)
    if index < taken.count { taken[index] = new } else { taken.append(new) }
    urgencies[urgency.rawValue] += 1
    return (index, highestUrgency != before)
  }

  /// Removes the place at an index; returns false when the index is vacant.
  mutating func remove(at index: Int) -> Bool {
    guard let leaving = taken[index] else { return false }
    taken[index] = nil
    vacant.append(index)
    urgencies[leaving.urgency.rawValue] -= 1
    return true
  }

  mutating func setUrgency(_ urgency: LoadPriority, of place: RunPlace, at index: Int) {
    guard let known = taken[index], known.place === place else { return }
    urgencies[known.urgency.rawValue] -= 1
    urgencies[urgency.rawValue] += 1
    taken[index]!.urgency = urgency
  }
}

/// The demands of one caller, or of several together, on a run besides its value.
struct RunDemand: Sendable {
  var store: CacheLayers = []
  var encodedStore: CacheLayers = []
  var originalStore: CacheLayers = []
  var wantsPreviews = false
  /// The time until which somebody waits; `.longest` if somebody waits without a limit.
  var deadline = Duration.zero

  var deadlineIfAny: Duration? { deadline < .longest ? deadline : nil }

  mutating func formUnion(_ other: RunDemand) {
    store.formUnion(other.store)
    encodedStore.formUnion(other.encodedStore)
    originalStore.formUnion(other.originalStore)
    wantsPreviews = wantsPreviews || other.wantsPreviews
    deadline = max(deadline, other.deadline)
  }
}
