import Easel
import EaselSupport
import EaselTestSupport
import EaselTestTags
import Foundation
import Testing

@testable import EaselCLI

/// Troubles that go on are told once, and not for each request.
struct ServeWarningsTests {
  private let notes = Locked<[String]>([])

  private func tell(_ warnings: ServeWarnings, _ error: ImageError) {
    warnings.observe(ImageEvent(.cacheFailed(error)))
  }

  @Test func eachTroubleIsToldOnce() {
    let warnings = ServeWarnings(cacheFolder: "/cache") { note in notes.withLock { $0.append(note) } }
    let full = ImageError(.cacheFailed, "The entry https://host/a.png is lost.", cause: SystemError(code: ENOSPC))
    let broken = ImageError(.cacheFailed, "The entry https://host/a.png is gone.", cause: SystemError(code: EIO))
    for _ in 0..<3 {
      tell(warnings, full)
      tell(warnings, broken)
    }
    let told = notes.withLock { $0 }
    #expect(told.count == 2 && told.first?.contains("The disk of the cache /cache is full.") == true)
    #expect(told.last?.contains("The cache /cache failed: ") == true)
    #expect(!told.joined().contains("host"))
    warnings.startAnew()
    tell(warnings, full)
    #expect(notes.withLock { $0.count } == 3)
  }

  @Test func othersTellOfThemselves() {
    var shared = ImageError(.cacheFailed, "Too slow.")
    shared.sharedStoreTrouble = .failed
    let warnings = ServeWarnings(cacheFolder: "/cache") { note in notes.withLock { $0.append(note) } }
    tell(warnings, shared)
    tell(ServeWarnings(cacheFolder: nil) { note in notes.withLock { $0.append(note) } }, ImageError(.cacheFailed, "x"))
    warnings.observe(ImageEvent(.cacheMiss))
    #expect(notes.withLock { $0.isEmpty })
  }

  @Test(arguments: [ENOSPC, EDQUOT, EFBIG]) func aDiskIsFullForManyReasons(_ code: CInt) {
    #expect(ImageError(.cacheFailed, "x", cause: SystemError(code: code)).isAboutFullDisk)
    #expect(!ImageError(.cacheFailed, "x", cause: SystemError(code: EIO)).isAboutFullDisk)
    #expect(!ImageError(.network, "x", cause: SystemError(code: code)).isAboutFullDisk)
  }

  @Test func tooFewDescriptorsAreToldWithTheNumberThatIsLeft() {
    #expect(DescriptorLimit.warning(connections: 8192, wanted: 8192) == nil)
    let warning = DescriptorLimit.warning(connections: 16, wanted: 8192)
    #expect(warning?.contains("16 connections may be open at a time, and not 8192") == true)
    #expect(DescriptorLimit.transfers(wanted: 3) == 3 && DescriptorLimit.transfers(wanted: .max) >= 4)
  }
}

/// The server as a program that lacks something.
@Suite(.tags(.alone))
struct ServeWithLittleTests {
  @Test func aFullDiskIsSaidOnceAndPicturesGoOut() async throws {
    try await AsyncScratch.with { scratch in
      // No file may be longer than the limit, which is as if the disk were full. The sandbox has files in memory.
      let options =
        try ServeProgram.withPictures(in: scratch) + ["--cache", scratch.url("cache").path, "--sandbox", "off"]
      try await ServeProgram.running(options, in: scratch, limit: "-f 16") { program in
        for width in 20..<60 {
          let answer = try await program.get(ServeProgram.url("w:\(width)", "1.png"))
          #expect(answer.status == 200)
        }
        await program.waitForComplaint("The disk of the cache")
        program.send(SIGTERM)
        #expect(await program.waitForEnd() == .init(status: 0))
        #expect(program.complaints.components(separatedBy: "The disk of the cache").count == 2)
      }
    }
  }

  @Test func aKeyFileThatAllCanReadIsSaid() async throws {
    try await AsyncScratch.with { scratch in
      let keys = scratch.url("keys").path
      try "c0ffee c0de\n".write(toFile: keys, atomically: false, encoding: .utf8)
      let text = "Every user of this machine can read the secrets in"
      for (mode, isSaid) in [(0o644, ServeSystem.real.isOpenToAll(keys)), (0o600, false)] {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: keys)
        let check = try EaselProcess.run(["serve", "--key-file", keys, "--check"])
        #expect(check.status == 0 && check.errors.contains(text) == isSaid, "\(mode)")
      }
    }
  }

  /// Clients that wait for pictures take all places, and whoever asks for the health of the server gets its answer.
  @Test func withFewDescriptorsItsHealthIsAnswered() async throws {
    let gate = Gate()
    let picture = [UInt8](try Pictures.png(40, 30))
    let head = ServerStep.head(200, [("Content-Type", "image/png"), ("Content-Length", "\(picture.count)")])
    let routes = (0..<40).map { ("/\($0).png", ServerRoute.always(ServerScript([head, .wait(gate), .send(picture)]))) }
    let origin = try ScriptableServer(routes: Dictionary(uniqueKeysWithValues: routes))
    defer { origin.close() }
    try await AsyncScratch.with { scratch in
      let options = [
        "--unsafe", "--allow-private", "--drain-delay", "0", "--cache", scratch.url("cache").path, "--metrics",
        "127.0.0.1:0",
      ]
      try await ServeProgram.running(options, in: scratch, limit: "-n 64") { program in
        await program.waitForComplaint("This process may have only 64 files open (ulimit -n), so that 16 connections")
        let ended = Watched(0)
        let waiting = (0..<40).map { number in
          Task {
            let answer = try? await program.get("/unsafe/w:20/plain/\(origin.origin)/\(number).png")
            ended.withLock { $0 += 1 }
            return answer?.status
          }
        }
        // Those for whom there is no place are told so, or turned away without a word if they are very many.
        await ended.wait { $0 >= 24 }
        let address = try #require(await program.metricsAddress())
        let metrics = try #require(address.split(separator: ":").last.flatMap { Int($0) })
        for _ in 0..<50 {
          let health = try await program.get("/health")
          #expect(health.status == 200, "\(health.text)")
          #expect(try await RawClient.get("/health", from: metrics).status == 200)
        }
        gate.open()
        var statuses: [Int?] = []
        for task in waiting { statuses.append(await task.value) }
        #expect(statuses.contains(200) && statuses.allSatisfy { $0 == 200 || ($0 ?? 503) >= 500 }, "\(statuses)")
        #expect(try await program.get("/unsafe/w:20/plain/\(origin.origin)/1.png").status == 200)
        program.send(SIGTERM)
        #expect(await program.waitForEnd() == .init(status: 0))
      }
    }
  }
}
