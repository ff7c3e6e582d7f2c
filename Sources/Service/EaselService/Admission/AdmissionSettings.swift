import EaselCore

/// The kinds of work that wait apart from each other.
package enum AdmissionLane: Int, CaseIterable, Sendable {
  /// Work that takes so little time that it never waits behind other work.
  case cheap
  case normal
  /// Encoding of AVIF.
  case avif
}

/// The limits of admission.
package struct AdmissionSettings: Hashable, Sendable {
  /// How many pieces of work run at a time.
  package var places: Int
  /// How many pieces of cheap work run beside them when all places are taken.
  package var reservedPlaces: Int
  /// How many of the places AVIF encoding may take.
  package var avifPlaces: Int
  /// The time below which work is cheap.
  package var cheapTime = Duration.milliseconds(20)
  /// The age of the oldest waiter from which a lane is overloaded: it then serves the newest first.
  package var targetDelay = Duration.milliseconds(100)
  /// The most waiters in a lane.
  package var queueLength = 1000
  /// The most processor time that may wait in a lane.
  package var queueTime: Duration
  /// The bounds of the ratio of measured to estimated time, which is learned from work that ended.
  package var paces = 0.125...8.0

  /// Creates the settings for a number of processors.
  package init(processors: Int = CPUBudget.processors) {
    places = max(1, processors)
    reservedPlaces = max(1, processors / 4)
    avifPlaces = max(1, processors / 2)
    queueTime = .seconds(20 * max(1, processors))
  }

  /// The same settings without values that would let nothing pass.
  var corrected: AdmissionSettings {
    var settings = self
    settings.places = max(1, places)
    settings.reservedPlaces = max(0, reservedPlaces)
    settings.avifPlaces = min(max(1, avifPlaces), settings.places)
    settings.queueLength = max(0, queueLength)
    return settings
  }

  func lane(of cost: WorkCost) -> AdmissionLane {
    if cost.time < cheapTime { return .cheap }
    return cost.encodesAVIF ? .avif : .normal
  }
}

/// The error of work that was not admitted.
package struct AdmissionRefusal: Error, Hashable {
  /// The reason of a refusal.
  package enum Reason: Int, CaseIterable, Sendable {
    /// The queue was full.
    case queueFull
    /// The work could not have been finished in time.
    case tooLate
  }

  package let reason: Reason
  /// The seconds after which the same work has a chance, at least 1.
  package let retryAfter: Int

  package var message: String {
    switch reason {
    case .queueFull: "The server has too much work. Try again in \(retryAfter) s."
    case .tooLate: "The server is too busy to make the picture in time. Try again in \(retryAfter) s."
    }
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

  package init() {}

  init(lanes: [AdmissionLane: Lane], pace: Double) {
    (self.lanes, self.pace) = (lanes, pace)
  }

  package var running: Int { lanes.values.reduce(0) { $0 + $1.running } }
  package var waiting: Int { lanes.values.reduce(0) { $0 + $1.waiting } }
  package var waitingPixels: Int { lanes.values.reduce(0) { $0 + $1.waitingPixels } }
}
