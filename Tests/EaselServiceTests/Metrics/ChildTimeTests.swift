import EaselTestTags
import Foundation
import Testing

@testable import EaselService

@Suite(.tags(.alone))
struct ChildTimeTests {
  /// A child of a child counts when it has ended, while its parent lives and after that.
  @Test func theTimeOfProcessesOfProcessesIsCounted() throws {
    let figures = SystemProcess()
    let before = try #require(figures.childSeconds)
    let (process, input, output) = (Process(), Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    let work = "sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done'"
    process.arguments = ["-c", "\(work); echo done; read line"]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    #expect(String(decoding: output.fileHandleForReading.readData(ofLength: 5), as: UTF8.self) == "done\n")
    let meanwhile = try #require(figures.childSeconds)
    #expect(meanwhile - before > 0.03, "The loop takes more than three ticks of the kernel's clock.")
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    #expect(try #require(figures.childSeconds) >= meanwhile, "What has ended still counts.")
  }
}
