extension SQLiteDiskStore {
  /// How much a store keeps, and for how long.
  public struct Limits: Hashable, Sendable {
    /// The moment from which an entry's age is counted.
    public enum AgeBasis: Hashable, Sendable, CaseIterable {
      /// When it was last asked for.
      case lastUse
      /// When its bytes or its record last changed.
      case lastChange
      /// When it was first stored.
      case creation
    }

    /// The most bytes that all entries take together, nil for as many as the disk holds.
    public var sizeLimit: Int?
    /// How old an entry may become; negative for any age.
    public var ageLimit: Duration
    /// The moment from which the age is counted.
    public var ageBasis: AgeBasis

    /// Creates limits: 1 GiB and a week since the last use, unless told otherwise.
    public init(
      sizeLimit: Int? = 1 << 30, ageLimit: Duration = .seconds(7 * 24 * 3600), ageBasis: AgeBasis = .lastUse
    ) {
      self.sizeLimit = sizeLimit
      self.ageLimit = ageLimit
      self.ageBasis = ageBasis
    }

    /// The moment before which an entry is too old, nil when none is.
    func oldest(at now: Double) -> Double? { ageLimit < .zero ? nil : now - ageLimit / .seconds(1) }

    /// The same where the age is counted from the creation.
    func oldestCreation(at now: Double) -> Double? { ageBasis == .creation ? oldest(at: now) : nil }

    func isExpired(_ dates: Database.Dates, at now: Double) -> Bool {
      guard let oldest = oldest(at: now) else { return false }
      switch ageBasis {
      case .lastUse: return dates.used <= oldest
      case .lastChange: return dates.changed <= oldest
      case .creation: return dates.created <= oldest
      }
    }
  }
}
