import EaselCore
import EaselService
import EaselTestServers
import EaselTestSupport
import EaselTestTags
import Foundation
import Testing

/// The addresses that the server as a program refuses.
@Suite(.tags(.alone))
struct ServeAddressesTests {
  /// The ways to write this machine or its network.
  private static let privateHosts = [
    "127.0.0.1", "127.1", "localhost", "2130706433", "0x7f000001", "0177.0.0.1", "0.0.0.0",
    "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]", "[::127.0.0.1]",
    "169.254.169.254", "10.0.0.1", "192.168.0.1", "172.16.0.1", "100.64.0.1", "[fe80::1]", "[fd00::1]",
  ]

  @Test func privateAddressesAreRefused() async throws {
    let origin = try ScriptableServer(routes: ["/a.png": .file(ServerFile([UInt8](try Pictures.png(8, 8))))])
    defer { origin.close() }
    try await AsyncScratch.with { scratch in
      try await ServeProgram.running(["--unsafe"], in: scratch) { program in
        for host in Self.privateHosts {
          let path = "/unsafe/w:4/plain/http://\(host):\(origin.port)/a.png"
          for path in [path, "/info" + path, path.replacing("w:4", with: "raw:1")] {
            let answer = try await program.get(path)
            #expect(answer.status == 403, "\(path): \(answer.text)")
            #expect(!answer.text.contains("127.0.0.1"), "An answer says nothing of addresses.")
          }
        }
        #expect(origin.connectionCount == 0)
      }
      try await ServeProgram.running(["--unsafe", "--allow-private"], in: scratch) { program in
        for host in ["127.0.0.1", "2130706433"] {
          let answer = try await program.get("/unsafe/w:4/plain/http://\(host):\(origin.port)/a.png")
          #expect(answer.status == 200)
        }
      }
    }
  }

  @Test func otherSourcesAreRefused() async throws {
    try await AsyncScratch.with { scratch in
      try await ServeProgram.running(["--unsafe"], in: scratch) { program in
        for source in ["file:///etc/passwd", "ftp://host/a", "gopher://host/a", "data:,x", "http://user@host/a.png"] {
          let encoded = source.replacing("@", with: "%40")
          let answer = try await program.get("/unsafe/w:4/plain/\(encoded)")
          #expect(answer.status == 403 || answer.status == 400, "\(source): \(answer.text)")
        }
      }
    }
  }

  @Test func filesOutsideTheFolderAreNotServed() async throws {
    try await AsyncScratch.with { scratch in
      let folder = scratch.url("pictures")
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent("inner"), withIntermediateDirectories: true)
      try Pictures.png(8, 8).write(to: scratch.url("secret.png"))
      try FileManager.default.createSymbolicLink(
        atPath: folder.path + "/link.png", withDestinationPath: scratch.url("secret.png").path)
      try await ServeProgram.running(["--unsafe", "--local", folder.path], in: scratch) { program in
        for file in ["../secret.png", "%2e%2e/secret.png", "..%2Fsecret.png", "link.png", "inner/../../secret.png"] {
          let answer = try await program.get("/unsafe/w:4/plain/local:///\(file)")
          #expect(answer.status == 404, "\(file): \(answer.text)")
        }
      }
    }
  }

  /// A network of their own lets an origin have an address that is not private.
  private static let hasNamespaces =
    (try? Child.run(["unshare", "--map-root-user", "--net", "ip", "link", "set", "lo", "up"]))?.status == 0

  @Test(
    .enabled(if: hasNamespaces, "this user may make no network of its own"),
    .enabled(if: NginxServer.isAvailable, "\(NginxServer.missing ?? "")"))
  func redirectsToPrivateAddressesAreRefused() throws {
    try Scratch.with { scratch in
      _ = try scratch.write(Pictures.png(8, 8), "a.png")
      let outcome = try Child.run([
        "unshare", "--map-root-user", "--net", "bash", "-c", Self.redirections, EaselProcess.path,
        scratch.directory.path,
      ])
      #expect(
        outcome.lines == [
          "http://203.0.114.1:8000/a.png 200", "http://203.0.114.1:8000/public 200",
          "http://203.0.114.1:8000/loopback 403", "http://203.0.114.1:8000/mapped 403",
          "http://203.0.114.1:8000/decimal 403", "http://203.0.114.1:8000/metadata 403",
          "http://203.0.114.1:8000/file 404", "http://127.0.0.1:8000/a.png 403",
        ], "\(outcome.errors)")
    }
  }

  // The addresses are those of the network namespace, which nobody else sees.
  private static let redirections = #"""
    easel=$0 folder=$1 PATH=$PATH:/usr/sbin
    set -eu
    trap 'kill -KILL $(jobs -p) 2>/dev/null' EXIT
    ip link set lo up
    ip address add 203.0.114.1/32 dev lo
    cat >"$folder/nginx.conf" <<NGINX
    daemon off; user root; pid $folder/pid; worker_processes 1;
    events { }
    http {
      access_log off;
      client_body_temp_path $folder/t1; proxy_temp_path $folder/t2; fastcgi_temp_path $folder/t3;
      uwsgi_temp_path $folder/t4; scgi_temp_path $folder/t5;
      server {
        listen 8000;
        root $folder;
        location = /public { return 302 http://203.0.114.1:8000/a.png; }
        location = /loopback { return 302 http://127.0.0.1:8000/a.png; }
        location = /mapped { return 302 http://[::ffff:127.0.0.1]:8000/a.png; }
        location = /decimal { return 302 http://2130706433:8000/a.png; }
        location = /metadata { return 302 http://169.254.169.254/latest/meta-data/; }
        location = /file { return 302 file:///etc/hostname; }
      }
    }
    NGINX
    nginx -p "$folder" -e "$folder/error.log" -c "$folder/nginx.conf" &
    mkfifo "$folder/out"
    "$easel" serve --unsafe --listen 127.0.0.1:9000 >"$folder/out" &
    read -r line <"$folder/out"
    curl -s --retry 100 --retry-connrefused --retry-delay 0 -o "$folder/x" http://127.0.0.1:8000/a.png
    for source in http://203.0.114.1:8000/{a.png,public,loopback,mapped,decimal,metadata,file} \
      http://127.0.0.1:8000/a.png; do
      echo "$source $(curl -s --globoff -o "$folder/x" -w '%{http_code}' \
        "http://127.0.0.1:9000/unsafe/w:4/plain/$source")"
    done
    """#
}
