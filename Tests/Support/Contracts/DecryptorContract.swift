import EaselCore

/// The rules of every decryptor, checked with bodies whose plain bytes are known.
public struct DecryptorContract: Sendable {
  /// A rule of the contract.
  public enum Rule: String, CaseIterable, Sendable {
    /// The identity is the same each time.
    case identityIsStable
    /// The decrypted bytes are those of the picture, each time.
    case bytesAreRight
    /// The input body is not changed.
    case leavesItsInputAlone
    /// Every call returns, even for truncated, empty or foreign bodies.
    case ends
    /// Bodies that are decrypted at the same time do not affect each other.
    case bodiesAreApart
    /// A damaged body never gives a whole picture; a decryptor that detects damage throws an error.
    case damageIsNoPicture
    /// A body in a file is decrypted like a body in memory.
    case readsFiles
    /// A small body, damaged or not, never becomes a huge one.
    case sizeIsBounded
  }

  private let decryptor: any Decryptor
  private let samples: [(encrypted: [UInt8], plain: [UInt8])]
  private let noticesDamage: Bool
  private let patience: Duration

  /// Creates the suite; `noticesDamage` is for decryptors that check a tag and so must refuse every damaged body.
  public init(
    _ decryptor: any Decryptor, samples: [(encrypted: [UInt8], plain: [UInt8])], noticesDamage: Bool = false,
    patience: Duration = .ofContracts
  ) {
    self.decryptor = decryptor
    self.samples = samples
    self.noticesDamage = noticesDamage
    self.patience = patience
  }

  /// Returns the rules that the decryptor breaks.
  public func check() async -> [ContractViolation] {
    let findings = Findings<Rule>()
    let steps = Steps(findings, .ends, patience: patience)
    let identity = await steps.onThread("Naming itself") { decryptor.cacheIdentity }
    for sample in samples {
      let body = ImageBytes(sample.encrypted)
      for _ in 0..<2 {
        let plain = await decrypt(body, steps)
        findings.require(
          plain == sample.plain, .bytesAreRight, "\(body.count) bytes became \(plain?.count ?? 0) others.")
        let left = try? body.withUnsafeBytes { [UInt8]($0) }
        findings.require(left == sample.encrypted, .leavesItsInputAlone, "The body was changed.")
      }
      await checkDamage(sample.encrypted, steps)
      await findings.attempt(.readsFiles, "A body in a file") {
        try await SampleFile.with(sample.encrypted) { body in
          let plain = await decrypt(body, steps)
          findings.require(plain == sample.plain, .readsFiles, "A body in a file became \(plain?.count ?? 0) bytes.")
        }
      }
    }
    await withTaskGroup(of: Void.self) { group in
      for sample in samples + samples + samples {
        group.addTask {
          let plain = await decrypt(ImageBytes(sample.encrypted), steps)
          findings.require(plain == sample.plain, .bodiesAreApart, "A body became another one beside others.")
        }
      }
    }
    let last = await steps.onThread("Naming itself") { decryptor.cacheIdentity }
    findings.require(last == identity, .identityIsStable, "Its identity is another one now.")
    return findings.violations
  }

  private func checkDamage(_ encrypted: [UInt8], _ steps: Steps<Rule>) async {
    var cases = [("cut to half", Array(encrypted.prefix(encrypted.count / 2))), ("empty", []), ("of one byte", [0])]
    for share in [1, 2, 3] where !encrypted.isEmpty {
      var damaged = encrypted
      damaged[encrypted.count * share / 4] ^= 1
      cases.append(("with a wrong bit", damaged))
    }
    if noticesDamage { cases.append(("with one byte too few", Array(encrypted.dropLast()))) }
    for (what, damaged) in cases where damaged != encrypted {
      guard let plain = await decrypt(ImageBytes(damaged), steps) else { continue }
      let isPicture = samples.contains { $0.plain == plain && !plain.isEmpty }
      steps.findings.require(
        !noticesDamage && !isPicture, .damageIsNoPicture,
        "A body of \(encrypted.count) bytes \(what) became \(plain.count) bytes\(isPicture ? ", a whole picture" : "")."
      )
    }
  }

  private func decrypt(_ body: ImageBytes, _ steps: Steps<Rule>) async -> [UInt8]? {
    let result = await steps.run("Decrypting \(body.count) bytes") { () -> [UInt8]? in
      try? await decryptor.decrypt(body, head: ResponseHead()).withUnsafeBytes { [UInt8]($0) }
    }
    let count = (result ?? nil)?.count ?? 0
    steps.findings.require(
      count <= body.count * 1000 + 1 << 20, .sizeIsBounded, "\(body.count) bytes became \(count).")
    return result ?? nil
  }
}
