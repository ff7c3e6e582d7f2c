import EaselCore

/// What every decryptor must do, seen on bodies whose plain bytes are known.
public struct DecryptorContract: Sendable {
  /// The rules.
  public enum Rule: String, CaseIterable, Sendable {
    /// Its identity is the same each time.
    case identityIsStable
    /// The bytes are those of the picture, each time.
    case bytesAreRight
    /// The body that was given stays as it was.
    case leavesItsInputAlone
    /// It answers, also for bodies that are cut short, empty or not its own.
    case ends
    /// Bodies that are decrypted at the same time do not disturb one another.
    case bodiesAreApart
  }

  private let decryptor: any Decryptor
  private let samples: [(encrypted: [UInt8], plain: [UInt8])]
  private let patience: Duration

  /// Creates the suite.
  public init(
    _ decryptor: any Decryptor, samples: [(encrypted: [UInt8], plain: [UInt8])], patience: Duration = .seconds(120)
  ) {
    self.decryptor = decryptor
    self.samples = samples
    self.patience = patience
  }

  /// The rules that the decryptor breaks.
  public func check() async -> [ContractViolation] {
    let findings = Findings<Rule>()
    let identity = decryptor.cacheIdentity
    for sample in samples {
      let body = ImageBytes(sample.encrypted)
      for _ in 0..<2 {
        let plain = await decrypt(body, findings)
        findings.require(
          plain == sample.plain, .bytesAreRight, "\(body.count) bytes became \(plain?.count ?? 0) others.")
        let left = try? body.withUnsafeBytes { [UInt8]($0) }
        findings.require(left == sample.encrypted, .leavesItsInputAlone, "The body was changed.")
      }
      for damaged in [[], Array(sample.encrypted.dropLast()), [0], sample.plain] {
        _ = await decrypt(ImageBytes(damaged), findings)
      }
    }
    await withTaskGroup(of: Void.self) { group in
      for sample in samples + samples + samples {
        group.addTask {
          let plain = await decrypt(ImageBytes(sample.encrypted), findings)
          findings.require(plain == sample.plain, .bodiesAreApart, "A body became another one beside others.")
        }
      }
    }
    findings.require(decryptor.cacheIdentity == identity, .identityIsStable, "Its identity is another one now.")
    return findings.violations
  }

  private func decrypt(_ body: ImageBytes, _ findings: Findings<Rule>) async -> [UInt8]? {
    let result = await Waiting.atMost(patience) { () -> [UInt8]? in
      try? await decryptor.decrypt(body, head: ResponseHead()).withUnsafeBytes { [UInt8]($0) }
    }
    guard let result else {
      findings.add(.ends, "\(body.count) bytes had no end.")
      return nil
    }
    return result
  }
}
