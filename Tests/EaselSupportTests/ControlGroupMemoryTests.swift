import EaselSupport
import FoundationEssentials
import Testing

/// Groups in folders that a test makes up.
struct ControlGroupMemoryTests {
  private func withGroups(
    _ files: [String: String], _ body: (_ root: String) throws -> Void
  ) throws {
    let root = FileManager.default.temporaryDirectory.appendingPathComponent("easel-groups-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: root) }
    for (path, text) in files {
      let file = root.appendingPathComponent(path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    try body(root.path)
  }

  @Test func theGroupAndThoseAroundItAllCount() throws {
    try withGroups([
      "memory.max": "4194304\n", "outer/memory.max": "1048576\n", "outer/inner/memory.max": "max\n",
      "outer/other/memory.max": "1\n",
    ]) { root in
      let group = try #require(ControlGroupMemory(membership: "0::/outer/inner\n", root: root))
      #expect(group.limitBytes == 1_048_576)
    }
  }

  @Test func theGroupWithTheLeastRoomTells() throws {
    try withGroups([
      "outer/memory.max": "1000\n", "outer/memory.current": "950\n", "outer/inner/memory.max": "500\n",
      "outer/inner/memory.current": "300\n", "memory.max": "max\n", "memory.current": "99999\n",
    ]) { root in
      let group = try #require(ControlGroupMemory(membership: "0::/outer/inner\n", root: root))
      #expect(group.use == ControlGroupMemory.Use(usedBytes: 950, limitBytes: 1000))
      #expect(group.limitBytes == 500)
    }
  }

  @Test func pagesOfFilesDoNotCount() throws {
    try withGroups([
      "g/memory.max": "1000\n", "g/memory.current": "900\n",
      "g/memory.stat": "anon 100\nfile 700\nshmem 50\ninactive_file 500\nactive_file 150\nslab 50\n",
    ]) { root in
      #expect(ControlGroupMemory(membership: "0::/g\n", root: root)?.use?.usedBytes == 250)
    }
  }

  @Test func versionOneIsReadToo() throws {
    try withGroups([
      "memory/memory.limit_in_bytes": "9223372036854771712\n", "memory/memory.usage_in_bytes": "5000\n",
      "memory/docker/c1/memory.limit_in_bytes": "2000\n", "memory/docker/c1/memory.usage_in_bytes": "1200\n",
      "memory/docker/c1/memory.stat": "inactive_file 1\ntotal_inactive_file 100\ntotal_active_file 200\n",
      "memory/docker/memory.limit_in_bytes": "9223372036854771712\n",
    ]) { root in
      let membership = "9:cpu,cpuacct:/docker/c1\n4:memory:/docker/c1\n0::/docker/c1\n"
      let group = try #require(ControlGroupMemory(membership: membership, root: root))
      #expect(group.limitBytes == 2000)
      #expect(group.use == ControlGroupMemory.Use(usedBytes: 900, limitBytes: 2000))
    }
  }

  @Test func inAContainerTheFilesAreAtTheTop() throws {
    try withGroups([
      "memory.max": "300\n", "memory.current": "200\n", "memory/memory.limit_in_bytes": "400\n",
    ]) { root in
      for membership in ["0::/\n", "0::/system.slice/docker-1.scope\n", "0::/../../other\n"] {
        #expect(ControlGroupMemory(membership: membership, root: root)?.limitBytes == 300)
      }
      #expect(ControlGroupMemory(membership: "4:memory:/docker/1\n0::/\n", root: root)?.limitBytes == 400)
    }
  }

  @Test func withoutALimitThereIsNone() throws {
    try withGroups(["g/memory.max": "max\n", "g/memory.current": "200\n"]) { root in
      let group = try #require(ControlGroupMemory(membership: "0::/g\n", root: root))
      #expect(group.limitBytes == nil && group.use == nil)
      #expect(ControlGroupMemory(membership: "4:cpu:/g\n", root: root) == nil)
      #expect(ControlGroupMemory(membership: "", root: root) == nil)
      #expect(ControlGroupMemory(membership: "nonsense\n::\n", root: root) == nil)
    }
  }
}
