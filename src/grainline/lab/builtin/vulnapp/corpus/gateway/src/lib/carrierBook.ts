import { Pool } from "pg";

const pool = new Pool();

export class CarrierBook {
  async search(name: string) {
    const text = "SELECT id, name FROM carriers WHERE name ILIKE '%" + name + "%'";
    return this.rows(text);
  }

  async inCountry(country: string) {
    const text = "SELECT id, name FROM carriers WHERE country = $1";
    return this.rows(text, [country]);
  }

  private async rows(text: string, values: string[] = []) {
    const found = await pool.query(text, values);
    return found.rows;
  }
}
