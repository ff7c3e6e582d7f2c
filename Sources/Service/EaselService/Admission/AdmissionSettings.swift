import EaselCore
import EaselSupport

/// The kinds of work that wait apart from each other.
package enum AdmissionLane: Int, CaseIterable, Sendable {
  /// Work that takes so little time that it never waits behind other work.
  case cheap
  case normal
  /// Encoding of AVIF.
  case avif
  /// Files that ask for much work that their pixels do not explain, so that nobody knows how long they take.
  case heavy

  /// The name in metrics.
  var name: String {
    switch self {
    case .cheap: "cheap"
    case .normal: "normal"
    case .avif: "avif"
    case .heavy: "heavy"
    }
  }
}

/// The limits of admission.
package struct AdmissionSettings: Hashable, Sendable {
  /// How many pieces of work run at a time.
  package var places: Int
  /// How many pieces of cheap work run beside them when all places are taken.
  package var reservedPlaces: Int
  /// How many of the places AVIF encoding may take.
  package var avifPlaces: Int
  /// How many of the places heavy work may take; the others stay free for pictures that ask for nothing odd.
  package var heavyPlaces: Int
  /// The time below which work is cheap.
  package var cheapTime = Duration.milliseconds(20)
  /// The time in which work must be done; what cannot be done in it, because of other work, is refused at once.
  package var patience = Duration.seconds(10)
  /// The most waiters in a lane.
  package var queueLength = 1000
  /// The bounds of the ratio of measured to estimated time, which is learned from work that ended.
  package var paces = 0.125...8.0

  /// Creates the settings for a number of processors.
  package init(processors: Int = CPUBudget.processors) {
    places = max(1, processors)
    reservedPlaces = max(1, processors / 4)
    avifPlaces = max(1, processors / 2)
    heavyPlaces = max(1, processors / 2)
  }

  /// The same settings without values that would let nothing pass.
  var corrected: AdmissionSettings {
    var settings = self
    settings.places = max(1, places)
    settings.reservedPlaces = max(0, reservedPlaces)
    settings.avifPlaces = min(max(1, avifPlaces), settings.places)
    settings.heavyPlaces = min(max(1, heavyPlaces), settings.places)
    settings.queueLength = max(0, queueLength)
    return settings
  }

  func lane(of cost: WorkCost) -> AdmissionLane {
    if cost.isHeavy { return .heavy }
    if cost.time < cheapTime { return .cheap }
    return cost.encodesAVIF ? .avif : .normal
  }
}

/// The error of work that was not admitted.
package struct AdmissionRefusal: Error, Hashable {
  /// The reason of a refusal.
  package enum Reason: Int, CaseIterable, Sendable {
    /// The queue was full, or the client's share of it.
    case queueFull
    /// The work could not have been finished in time.
    case tooLate
  }

  package let reason: Reason
  /// The seconds that other work would have been waited for, as estimated.
  package let wait: Int
  /// The cost of decoding the source, if the work would have done that.
  var reading: WorkCost?

  init(reason: Reason, wait: Duration) {
    self.reason = reason
    self.wait = Int((wait / .seconds(1)).rounded(.up))
  }

  /// The seconds after which the same work has a chance.
  package var retryAfter: Int { min(max(1, wait), Self.longestRetry) }

  private static let longestRetry = 60

  /// The error for who asked for the work.
  var imageError: ImageError { ImageError(.overloaded, message, cause: self) }

  package var message: String {
    "There is too much other work, which takes about \(max(1, wait)) s. Try again in \(retryAfter) s."
  }
}

/// The counts of admission at one moment.
package struct AdmissionSnapshot: Hashable, Sendable {
  package struct Lane: Hashable, Sendable {
    package var running = 0
    package var waiting = 0
    /// The cost of the waiting work.
    package var waitingNanoseconds = 0
    package var admitted = 0
    package var refused: [AdmissionRefusal.Reason: Int] = [:]
    /// The number of waiters that left by themselves.
    package var withdrawn = 0

    /// The cost of the waiting work as a number of pixels.
    package var waitingPixels: Int { waitingNanoseconds == 0 ? 0 : WorkCost(nanoseconds: waitingNanoseconds).pixels }
  }

  package var lanes: [AdmissionLane: Lane] = [:]
  /// The ratio of measured to estimated time.
  package var pace = 1.0
  /// The number of clients for whom something waits.
  package var waitingClients = 0

  package init() {}

  init(lanes: [AdmissionLane: Lane], pace: Double, waitingClients: Int) {
    (self.lanes, self.pace, self.waitingClients) = (lanes, pace, waitingClients)
  }

  package var running: Int { lanes.values.reduce(0) { $0 + $1.running } }
  package var waiting: Int { lanes.values.reduce(0) { $0 + $1.waiting } }
  package var waitingPixels: Int { lanes.values.reduce(0) { $0 + $1.waitingPixels } }
}
